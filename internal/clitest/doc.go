// Package clitest holds the tests of the command: it turns scripts under testdata into runs of a built gpugen in folders
// of their own. It is a module of its own, so that users of gpugen never see the script library.
package clitest
