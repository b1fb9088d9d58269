//go:build !js

package frontend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/inputfile"
)

// inputs are the files that a model depends on.
type inputs struct {
	files  []string // the specification first
	digest string
}

const (
	mostIncludes = 2_000
	mostBytes    = 64 << 20
)

// mentioned are the words of a specification that may name files: also texts in quotes, which
// may hold blanks.
var mentioned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"\n]+"|<[^<>\n]+>|[A-Za-z0-9_./\\-]+`) })

// Inputs returns the files that the model depends on, itself first: those that
// it names, and those that these name, as far as they are there. Nothing is parsed: a file that
// has the name of some word is taken for one. Cost O(size of the files).
func (s Specification) Inputs(ctx context.Context) ([]string, error) {
	t := of(s.Path)
	if t == nil {
		return []string{s.Path}, nil
	}
	in, err := t.inputsOf(ctx, s)
	return in.files, err
}

// Digest returns the SHA-256 of the names and contents of all that a model is made of, in
// hexadecimal digits; made is false if the file is a model already. Cost O(size of the files).
func (s Specification) Digest(ctx context.Context) (digest string, made bool, err error) {
	t := of(s.Path)
	if t == nil {
		return "", false, nil
	}
	in, err := t.inputsOf(ctx, s)
	return in.digest, true, err
}

func (t *tool) inputsOf(ctx context.Context, s Specification) (in inputs, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n", t.suite, t.suffixes[0])
	add := func(path string) (text string, err error) {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", inputfile.FileError(path, err)
		}
		relative, err := filepath.Rel(filepath.Dir(s.Path), path)
		if err != nil {
			relative = path
		}
		fmt.Fprintf(sum, "%s\n%d\n%s\n", filepath.ToSlash(relative), len(content), content)
		return string(content), nil
	}
	in.files = []string{s.Path}
	for i := 0; i < len(in.files); i++ {
		if ctx.Err() != nil {
			return in, ctx.Err()
		}
		text, err := add(in.files[i])
		if err != nil {
			return in, err
		}
		if len(t.includes) == 0 || len(text) > mostBytes {
			continue
		}
		for _, path := range t.named(in.files[i], text) {
			if !slices.Contains(in.files, path) && len(in.files) < mostIncludes {
				in.files = append(in.files, path)
			}
		}
	}
	if t.isTLC() {
		config, text, err := configOf(s, s.Path)
		if err != nil {
			return in, err
		}
		fmt.Fprintf(sum, "configuration\n%s\n", text)
		_ = config
	}
	in.digest = hex.EncodeToString(sum.Sum(nil))
	return in, nil
}

// named returns the files that a text may name, which stands in the file of this path.
func (t *tool) named(path, text string) (files []string) {
	folder := filepath.Dir(path)
	seen := map[string]bool{}
	try := func(name string) {
		if name == "" || seen[name] || filepath.IsAbs(name) && !slices.Contains(t.includes, strings.ToLower(filepath.Ext(name))) {
			return
		}
		seen[name] = true
		at := name
		if !filepath.IsAbs(at) {
			at = filepath.Join(folder, name)
		}
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
			files = append(files, at)
		}
	}
	all := append(mentioned().FindAllString(text, -1), strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	for _, found := range all {
		name := strings.Trim(found, `"<>`)
		if slices.Contains(t.includes, strings.ToLower(filepath.Ext(name))) {
			try(name)
			continue
		}
		if seen["."+name] {
			continue
		}
		seen["."+name] = true
		for _, suffix := range t.includes {
			try(name + suffix)
		}
	}
	slices.Sort(files)
	return files
}

// with returns the key of a model that these programs make.
func (in inputs) with(programs map[string]string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "1\n%s\n", in.digest)
	for _, name := range sortedKeys(programs) {
		path := programs[name]
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		info, err := os.Stat(path)
		if err != nil {
			return "", inputfile.FileError(path, err)
		}
		fmt.Fprintf(sum, "%s\n%s\n%d\n%d\n", name, path, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
