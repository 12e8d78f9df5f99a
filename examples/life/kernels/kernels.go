// Package kernels holds the kernels of the example life: a generation of Conway's game of life, and its afterglow.
package kernels

//go:generate go tool gpugen generate
