// Package kernels holds the kernel of the example histogram: counts in shared memory, added up in global memory.
package kernels

//go:generate go tool gpugen generate
