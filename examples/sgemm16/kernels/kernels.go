// Package kernels holds the kernels of the example sgemm16: a product of float16 matrices that adds up in float32.
package kernels

//go:generate go tool gpugen generate
