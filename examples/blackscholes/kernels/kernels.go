// Package kernels holds the kernels of the example blackscholes: prices of options in closed form.
package kernels

//go:generate go tool gpugen generate
