// Command comments prints comments of the project, drawn at random. A reader counts how many must
// be read twice, and rewrites those:
//
//	go -C tools run ./comments -seed 7
//
// The same sources and the same seed give the same comments.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	seed := flag.Uint64("seed", 1, "draw the comments of `SEED`")
	number := flag.Int("n", 60, "draw `N` comments")
	flag.Parse()
	if err := draw(os.Stdout, "..", *seed, *number); err != nil {
		fmt.Fprintln(os.Stderr, "comments:", err)
		os.Exit(2)
	}
}

// draw writes comments of the files in a folder, except tests, each with its file and line. It
// fails if a file cannot be read or w cannot be written.
func draw(w io.Writer, folder string, seed uint64, number int) error {
	all, err := comments(folder)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range min(number, len(all)) {
		i := r.IntN(len(all))
		if _, err := fmt.Fprintln(w, all[i]); err != nil {
			return err
		}
		all[i] = all[len(all)-1]
		all = all[:len(all)-1]
	}
	return nil
}

// comments returns the comments in the order of the files, each after its file and line.
func comments(folder string) (all []string, err error) {
	set := token.NewFileSet()
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder &&
			(name == "testdata" || name == "node_modules" || name[0] == '.'):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go" ||
			strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, path, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			text := strings.Join(strings.Fields(group.Text()), " ")
			at := set.Position(group.Pos())
			if place, err := filepath.Rel(folder, at.Filename); text != "" && err == nil {
				all = append(all,
					fmt.Sprintf("%s:%d\n\t%s", filepath.ToSlash(place), at.Line, text))
			}
		}
		return nil
	})
	return all, err
}
