// Package kernels holds the kernels of the example.
package kernels

//go:generate go tool gpugen generate
