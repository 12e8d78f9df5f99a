// Package kernels holds the kernels of the example sort: a bitonic sort, in shared memory and beyond it.
package kernels

//go:generate go tool gpugen generate
