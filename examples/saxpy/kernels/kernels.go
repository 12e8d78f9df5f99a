// Package kernels holds the kernel of the example saxpy: the smallest one, over vectors.
package kernels

//go:generate go tool gpugen generate
