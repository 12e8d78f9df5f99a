package ptx

import "github.com/gpugen/gpugen/dsl/types"

// typeNames are the C types that values have. char has no fixed sign and long no fixed size.
var typeNames = [types.NumKinds]string{
	types.Bool: "bool",
	types.Int8: "signed char", types.Int16: "short", types.Int32: "int", types.Int64: "long long", types.Int: "long long",
	types.Uint8: "unsigned char", types.Uint16: "unsigned short", types.Uint32: "unsigned int", types.Uint64: "unsigned long long",
	types.Float16: "unsigned short", types.BFloat16: "unsigned short", // their bits
	types.Float32: "float", types.Float64: "double",
}

var suffixes = [types.NumKinds]string{
	types.Int64: "ll", types.Int: "ll", types.Uint32: "u", types.Uint64: "ull", types.Float32: "f",
}
