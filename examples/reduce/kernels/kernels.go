// Package kernels holds the kernels of the example reduce: a sum by trees in shared memory.
package kernels

//go:generate go tool gpugen generate
