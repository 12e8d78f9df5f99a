// Package kernels holds the kernels of the example heat: a step of the heat equation and its colours.
package kernels

//go:generate go tool gpugen generate
