// Package kernels holds the kernels of the example nbody: gravity between all bodies, and their motion.
package kernels

//go:generate go tool gpugen generate
