// Package kernels holds the kernels of the example mandelbrot: iteration counts and their colours.
package kernels

//go:generate go tool gpugen generate
