// Package kernels holds the kernel of the example softmax: rows of weights, a block a row.
package kernels

//go:generate go tool gpugen generate
