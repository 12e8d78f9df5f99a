// Package kernels holds the kernels of the example scan: running sums of blocks, of their totals, and of everything.
package kernels

//go:generate go tool gpugen generate
