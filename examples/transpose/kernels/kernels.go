// Package kernels holds the kernels of the example transpose: a transpose that both reads and writes whole rows.
package kernels

//go:generate go tool gpugen generate
