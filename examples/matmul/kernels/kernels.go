// Package kernels holds the kernels of the example matmul: a product of matrices by tiles in shared memory.
package kernels

//go:generate go tool gpugen generate
