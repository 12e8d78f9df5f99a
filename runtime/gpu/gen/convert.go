package gen

import "math"

// The conversions from float to integer truncate and saturate, and NaN gives 0. A float32 argument converts to
// float64 exactly, so there is one function for both. The bounds of the narrow types are floats themselves, and the
// builtins min and max hand a NaN on; those of the 64-bit types are not, so there the comparison decides.

// ToInt8 converts x to int8.
func ToInt8(x float64) int8 {
	if x != x {
		return 0
	}
	return int8(min(max(x, math.MinInt8), math.MaxInt8))
}

// ToInt16 converts x to int16.
func ToInt16(x float64) int16 {
	if x != x {
		return 0
	}
	return int16(min(max(x, math.MinInt16), math.MaxInt16))
}

// ToInt32 converts x to int32.
func ToInt32(x float64) int32 {
	if x != x {
		return 0
	}
	return int32(min(max(x, math.MinInt32), math.MaxInt32))
}

// ToInt64 converts x to int64.
func ToInt64(x float64) int64 {
	switch {
	case x != x:
		return 0
	case x >= 1<<63:
		return math.MaxInt64
	case x < -1<<63:
		return math.MinInt64
	}
	return int64(x)
}

// ToInt converts x to int, which has 64 bits in the kernel language.
func ToInt(x float64) int { return int(ToInt64(x)) }

// ToUint8 converts x to uint8.
func ToUint8(x float64) uint8 {
	if x != x {
		return 0
	}
	return uint8(min(max(x, 0), math.MaxUint8))
}

// ToUint16 converts x to uint16.
func ToUint16(x float64) uint16 {
	if x != x {
		return 0
	}
	return uint16(min(max(x, 0), math.MaxUint16))
}

// ToUint32 converts x to uint32.
func ToUint32(x float64) uint32 {
	if x != x {
		return 0
	}
	return uint32(min(max(x, 0), math.MaxUint32))
}

// ToUint64 converts x to uint64.
func ToUint64(x float64) uint64 {
	switch {
	case !(x > 0):
		return 0
	case x >= 1<<64:
		return math.MaxUint64
	}
	return uint64(x)
}
