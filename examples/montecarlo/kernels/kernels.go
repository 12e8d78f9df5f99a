// Package kernels holds the kernels of the example montecarlo: random points by the counter, counted by blocks.
package kernels

//go:generate go tool gpugen generate
