package msl

import "github.com/gpugen/gpugen/dsl/types"

// typeNames are Metal's types: char is signed, long has 64 bits, there is no double.
var typeNames = [types.NumKinds]string{
	types.Bool: "bool",
	types.Int8: "char", types.Int16: "short", types.Int32: "int", types.Int64: "long", types.Int: "long",
	types.Uint8: "uchar", types.Uint16: "ushort", types.Uint32: "uint", types.Uint64: "ulong",
	types.Float16: "ushort", types.BFloat16: "ushort", // their bits
	types.Float32: "float",
}

var suffixes = [types.NumKinds]string{
	types.Int64: "l", types.Int: "l", types.Uint32: "u", types.Uint64: "ul", types.Float32: "f",
}
