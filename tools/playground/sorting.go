package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// oneSort adds to an overlay that package slices sorts by the code of package sort. Go compiles
// slices.SortFunc anew for every type, a twentieth of the engine; package sort has the same
// algorithm once, so the results are the same. oneSort fails if this version of Go differs.
func oneSort(ctx context.Context, overlay string) error {
	root, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	source := func(name ...string) (string, error) {
		text, err := os.ReadFile(filepath.Join(append([]string{root, "src"}, name...)...))
		return string(text), err
	}
	shared, err := source("sort", "zsortfunc.go")
	if err != nil {
		return err
	}
	generic := filepath.Join(root, "src", "slices", "zsortanyfunc.go")
	each, err := source("slices", "zsortanyfunc.go")
	if err != nil {
		return err
	}
	if err := sortsAlike(shared, each); err != nil {
		return err
	}
	instead := filepath.Join(filepath.Dir(overlay), "zsortanyfunc.go")
	if err := os.WriteFile(instead, []byte(strings.Replace(shared, "package sort\n", "package slices\n"+throughSort, 1)), 0o644); err != nil {
		return err
	}
	return addTo(overlay, generic, instead)
}

// throughSort is the code by which package slices sorts through package sort.
const throughSort = `
type lessSwap struct {
	Less func(i, j int) bool
	Swap func(i, j int)
}

func lessSwapOf[E any](data []E, cmp func(a, b E) int) lessSwap {
	return lessSwap{
		func(i, j int) bool { return cmp(data[i], data[j]) < 0 },
		func(i, j int) { data[i], data[j] = data[j], data[i] },
	}
}

func pdqsortCmpFunc[E any](data []E, a, b, limit int, cmp func(a, b E) int) {
	pdqsort_func(lessSwapOf(data, cmp), a, b, limit)
}

func stableCmpFunc[E any](data []E, n int, cmp func(a, b E) int) {
	stable_func(lessSwapOf(data, cmp), n)
}
`

// addTo adds a file to an overlay.
func addTo(overlay, file, instead string) error {
	var kept struct{ Replace map[string]string }
	text, err := os.ReadFile(overlay)
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", overlay, err)
	}
	kept.Replace[file] = instead
	if text, err = json.Marshal(kept); err != nil {
		return err
	}
	return os.WriteFile(overlay, text, 0o644)
}

// The algorithm of package sort differs from that of package slices in how it compares and exchanges elements. These
// expressions match that code, and comments.
var (
	comments = regexp.MustCompile(`(?m)^\s*//.*\n`)
	operand  = `((?:[^,()]|\([^()]*\))+)`
	less     = regexp.MustCompile(`data\.Less\(` + operand + `, ` + operand + `\)`)
	swap     = regexp.MustCompile(`data\.Swap\(` + operand + `, ` + operand + `\)`)
	defined  = regexp.MustCompile(`func (\w+)_func\(data lessSwap, (.*?)\) `)
	called   = regexp.MustCompile(`(\w+)_func\((.*)\)`)
	compared = regexp.MustCompile(`\((cmp\(data\[[^\]]*\], data\[[^\]]*\]\) < 0)\)`)
)

// sortsAlike returns an error if the code of package sort and the code of package slices differ in
// more than how they compare and exchange elements.
func sortsAlike(shared, each string) error {
	shared = less.ReplaceAllString(shared, "cmp(data[$1], data[$2]) < 0")
	shared = swap.ReplaceAllString(shared, "data[$1], data[$2] = data[$2], data[$1]")
	shared = defined.ReplaceAllString(shared,
		"func ${1}CmpFunc[E any](data []E, $2, cmp func(a, b E) int) ")
	shared = called.ReplaceAllString(shared, "${1}CmpFunc($2, cmp)")
	shared = strings.Replace(shared, "package sort\n", "package slices\n", 1)
	plain := func(text string) string {
		return compared.ReplaceAllString(comments.ReplaceAllString(text, ""), "$1")
	}
	if plain(shared) != plain(each) {
		return fmt.Errorf("in this Go packages sort and slices sort in different ways")
	}
	return nil
}
