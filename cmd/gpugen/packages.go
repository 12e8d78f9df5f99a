package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// expand turns package patterns into folders that hold .gpu files, sorted, each once. A pattern is a folder, a folder
// followed by /..., or a .gpu file, which stands for its folder: the files of a folder are one package. A folder named
// outright must hold a .gpu file or a leftover of one; below /... folders without are passed over, as are those that the
// go command passes over: testdata, vendor, names starting with `.` or `_`, and other modules.
func expand(patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	found := map[string]bool{}
	for _, p := range patterns {
		root, all := splitPattern(p)
		if all {
			if err := walk(root, found); err != nil {
				return nil, err
			}
			continue
		}
		if strings.HasSuffix(root, ".gpu") {
			if _, err := os.Stat(root); err != nil {
				return nil, fail(exitInternal, "%w", err)
			}
			root = filepath.Dir(root)
		}
		ok, err := hasKernels(root)
		if err != nil {
			return nil, fail(exitInternal, "%w", err)
		}
		if !ok {
			return nil, fail(exitInput, "%s: no .gpu files here; name a folder that has some, or ./... for all below", root)
		}
		found[filepath.Clean(root)] = true
	}
	var dirs []string
	for d := range found {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	return dirs, nil
}

// splitPattern is the folder or file of a pattern, and whether it takes all folders below.
func splitPattern(p string) (root string, all bool) {
	if p == "..." {
		return ".", true
	}
	root, all = strings.CutSuffix(filepath.ToSlash(p), "/...")
	if root == "" {
		root = "/"
	}
	return filepath.FromSlash(root), all
}

// passedOver reports the name of a folder that patterns with ... leave out, with all below.
func passedOver(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// walk adds the folders at and below root. Symbolic links to folders below it are not followed; root itself may be one,
// as in the go command.
func walk(root string, found map[string]bool) error {
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator) // WalkDir does not follow a link that is its root
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fail(exitInternal, "%w", err)
		}
		if !d.IsDir() {
			return nil
		}
		if path != root {
			if passedOver(d.Name()) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		ok, err := hasKernels(path)
		if err != nil {
			return fail(exitInternal, "%w", err)
		}
		if ok {
			found[filepath.Clean(path)] = true
		}
		return nil
	})
}

// hasKernels reports whether dir holds a .gpu file, or manifests of files that are gone.
func hasKernels(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if isSource(e) {
			return true, nil
		}
	}
	manifests, _ := manifestFiles(dir)
	return len(manifests) > 0, nil
}

// isSource reports a .gpu file. Editors' leftovers (.#x.gpu, .x.gpu) are none.
func isSource(e fs.DirEntry) bool {
	return !e.IsDir() && strings.HasSuffix(e.Name(), ".gpu") && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_")
}
