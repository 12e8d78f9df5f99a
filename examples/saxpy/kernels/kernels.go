// Package kernels holds the kernel of the example.
package kernels

//go:generate go tool gpugen generate
