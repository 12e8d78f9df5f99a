// Package kernels holds the kernel of the example layernorm: rows of mean 0 and variance 1, a block a row.
package kernels

//go:generate go tool gpugen generate
