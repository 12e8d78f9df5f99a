package dsl

import (
	"regexp"
	"strings"
)

// Elsewhere returns what stands here for a name of CUDA, Metal, OpenCL, C, Python or Rust, as the end of a message, or
// nothing. Such a name is asked for only where nothing declares it.
func Elsewhere(name string) string {
	if t := typeElsewhere(name); t != "" {
		return "write `" + t + "`"
	}
	if m := vectorElsewhere.FindStringSubmatch(name); m != nil {
		return "a vector has 2 to 4 components, as in `" + scalars[m[1]] + "x4`"
	}
	if hint, ok := elsewhere[name]; ok {
		return hint
	}
	for _, p := range []struct{ prefix, hint string }{
		{"atomic", "the operations are `atomic.Add(&x[i], v)` and its like"},
		{"__shfl", "write `subgroup.Shuffle` and its like"},
		{"simd_shuffle", "write `subgroup.Shuffle` and its like"},
		{"simd_", "write `subgroup.Sum` and its like"},
		{"sub_group_", "write `subgroup.Sum` and its like"},
		{"get_", indexes}, {"thread_position", indexes}, {"threadgroup_position", indexes},
		{"FLT_", "write the number"}, {"DBL_", "write the number"},
	} {
		if strings.HasPrefix(name, p.prefix) && name != p.prefix {
			return p.hint
		}
	}
	return ""
}

const indexes = "the domain names the indexes: `for i in n`, or `blocks b in … threads t in …`"

// scalars are names of number types in other languages.
var scalars = map[string]string{
	"float": "float32", "double": "float64", "half": "float16", "__half": "float16", "__nv_bfloat16": "bfloat16", "bfloat": "bfloat16",
	"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
	"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "short": "int16", "long": "int64", "char": "int8", "signed": "int32",
	"ushort": "uint16", "ulong": "uint64", "uchar": "uint8", "unsigned": "uint32", "int": "int32", "uint": "uint32",
	"float32": "float32", "float64": "float64", "int32": "int32", "uint32": "uint32",
}

var (
	vectorElsewhere = regexp.MustCompile(`^(?:make_)?(float|double|half|f32|f64|i32|u32|u?char|u?short|u?int|u?long|float32|float64|int32|uint32)(x[0-9]+|[0-9])$`)
	stdintElsewhere = regexp.MustCompile(`^(u?int(?:8|16|32|64))_t$`)
	glslElsewhere   = regexp.MustCompile(`^([biu]?)vec([234])[fhiu]?$`)
)

// typeElsewhere returns the type that a name of another language means, or nothing.
func typeElsewhere(name string) string {
	switch name {
	case "boolean", "Bool":
		return "bool"
	case "size_t", "usize", "isize", "ptrdiff_t":
		return "int"
	case "int", "uint", "float32", "float64", "int32", "uint32":
		return "" // the language's own, or told of by the checker
	}
	if t := scalars[name]; t != "" {
		return t
	}
	if m := stdintElsewhere.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	if m := glslElsewhere.FindStringSubmatch(name); m != nil {
		return map[string]string{"": "float32", "b": "bool", "i": "int32", "u": "uint32"}[m[1]] + "x" + m[2]
	}
	if m := vectorElsewhere.FindStringSubmatch(name); m != nil {
		if n := strings.TrimPrefix(m[2], "x"); n == "2" || n == "3" || n == "4" {
			return scalars[m[1]] + "x" + n
		}
	}
	return ""
}

// elsewhere are other names. Those that differ from ours by a letter or two are left to the search for similar names.
var elsewhere = map[string]string{
	"threadIdx": indexes, "blockIdx": indexes, "blockDim": indexes, "gridDim": indexes,
	"warpSize": "a subgroup has 32 threads", "warp": "write `subgroup`", "wave": "write `subgroup`", "simdgroup": "write `subgroup`",
	"__syncthreads": "write `barrier()`", "syncthreads": "write `barrier()`", "sync": "write `barrier()`", "threadgroup_barrier": "write `barrier()`",
	"workgroupBarrier": "write `barrier()`", "__syncwarp": "threads of a subgroup run together; between threads of a block write `barrier()`",
	"__popc": "write `popcount`", "__clz": "write `clz`", "__ffs": "write `ctz`, which counts from 0", "__brev": "write `reverse`", "fabsf": "write `abs`",
	"fabs": "write `abs`", "mad": "write `fma`", "mix": "write `lerp`", "norm": "write `length`", "saturate": "write `clamp(x, 0, 1)`", "rcp": "write `1 / x`",
	"fmod": "write `mod`, the floored remainder", "fmodf": "write `mod`, the floored remainder",
	"M_PI": "write `pi`", "PI": "write `pi`", "Pi": "write `pi`", "INFINITY": "write `inf()`", "Inf": "write `inf()`", "infinity": "write `inf()`", "INF": "write `inf()`",
	"NAN": "write `nan()`", "NaN": "write `nan()`", "None": "every value is a number, a bool, or made of these", "NULL": "there are no pointers",
	"True": "write `true`", "False": "write `false`", "printf": "write `print(\"format\", …)`",
	"void": "a function that gives nothing back ends its head with `)`",
	"let":  "`name := value` declares a variable",
	"auto": "`name := value` declares a variable",
	"iota": "it has a value in the lists of `const` alone",
}

// Member returns the same for a member of a package, such as `math.Sqrt`; builtin says what the language has.
func Member(pkg, name string, builtin func(string) bool) string {
	lower := strings.ToLower(name)
	switch pkg {
	case "math", "math32", "std", "metal", "libdevice", "np", "torch", "tl", "cmath":
		switch {
		case strings.HasPrefix(name, "Max") && len(name) > 3 || strings.HasPrefix(name, "Smallest"):
			return "write the number"
		case lower == "program_id":
			return indexes
		case lower == "load" || lower == "store":
			return "elements of a view are `x[i]`"
		case builtin(lower):
			return "write `" + lower + "`"
		}
		return Elsewhere(name)
	case "fmt", "log":
		return "write `print(\"format\", …)`"
	case "sync", "cg":
		return "write `barrier()`"
	}
	return ""
}
