// Package kernels holds the filters of the example image, over planes of linear light.
package kernels

//go:generate go tool gpugen generate
