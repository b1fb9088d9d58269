package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/inev-lts/inev/format"
)

type modelsQuestion struct {
	Match  string `json:"match,omitempty" jsonschema:"only files whose path this regular expression (RE2) matches somewhere, such as abp"`
	Offset int    `json:"offset,omitempty" jsonschema:"skip this many files, to continue where a text was cut"`
}

const (
	mostListed  = 10_000  // files that are listed
	mostVisited = 200_000 // files and folders that are looked at below all roots
	mostDepth   = 16      // folders within each other
)

// addModels adds the tool that lists models.
func (s *Server) addModels() {
	schema, err := jsonschema.For[modelsQuestion](nil)
	if err != nil {
		panic(err) // the type above
	}
	giveOneType(schema)
	boundNumbers(schema)
	tool := describe("models",
		"List the models below the roots, with their sizes: the paths that other tools take.", schema)
	addTool(s, tool, func(ctx context.Context, roots []string, q modelsQuestion) (*mcp.CallToolResult, error) {
		if len(roots) == 0 {
			return nil, errors.New("there are no roots: start inev-mcp with -root and the folder of the models")
		}
		pattern, err := patternOf(q.Match)
		if err != nil {
			return nil, err
		}
		found, err := modelsBelow(ctx, roots, pattern)
		if err != nil {
			return nil, err
		}
		head := fmt.Sprintf("%d models", len(found))
		if len(found) == 1 {
			head = "1 model"
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: paged(head,
			found, q.Offset)}}}, nil
	})
}

// modelsBelow returns a line with the path and the size of each model below the roots whose path matches a
// pattern, in the order of the paths. If an earlier root has a model of the same path, the line has the path
// with its root, because tools would take the earlier file. modelsBelow follows no links, and enters no
// folder whose name begins with a dot; it stops after mostListed models or mostVisited files and folders, and
// looks no deeper than mostDepth.
func modelsBelow(
	ctx context.Context,
	roots []string,
	pattern *regexp.Regexp,
) ([]string, error) {
	w := &modelWalk{ctx: ctx, pattern: pattern, isTaken: map[string]bool{}}
	for _, root := range roots {
		if err := w.visitRoot(root); err != nil {
			return nil, err
		}
	}
	slices.Sort(w.found)
	return w.found, nil
}

// modelWalk looks for models below several roots.
type modelWalk struct {
	ctx     context.Context
	pattern *regexp.Regexp
	root    string
	found   []string        // a line for each model
	isTaken map[string]bool // by the paths below their roots
	visited int             // the number of files and folders
}

// visitRoot looks for models below a root.
func (w *modelWalk) visitRoot(root string) error {
	below, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("a root cannot be read: %w", errors.Unwrap(err))
	}
	defer below.Close()
	w.root = root
	return fs.WalkDir(below.FS(), ".", w.visit)
}

// visit adds a file if it is a model; see [fs.WalkDirFunc].
func (w *modelWalk) visit(name string, entry fs.DirEntry, err error) error {
	w.visited++
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case err != nil:
		return nil // a folder that may not be read has no models for anybody
	case len(w.found) == mostListed || w.visited > mostVisited:
		return fs.SkipAll
	case entry.IsDir() && !isEntered(name, entry):
		return fs.SkipDir
	case !entry.Type().IsRegular() || !isModel(name) || !w.pattern.MatchString(name):
		return nil
	}
	size := "?"
	if info, err := entry.Info(); err == nil {
		size = fmt.Sprint(info.Size())
	}
	if w.isTaken[name] {
		name = filepath.Join(w.root, filepath.FromSlash(name))
	}
	w.isTaken[name] = true
	w.found = append(w.found, name+"  "+size+" bytes")
	return nil
}

// isEntered reports whether models are looked for in a folder.
func isEntered(name string, folder fs.DirEntry) bool {
	if name == "." {
		return true
	}
	return !strings.HasPrefix(folder.Name(), ".") && strings.Count(name, "/") < mostDepth
}

// isModel reports whether inev itself reads models from files of such a name. For .bcg it needs another
// program.
func isModel(name string) bool {
	suffix := format.Suffix(name)
	return suffix != ".bcg" && slices.Contains(format.Of(name, nil).Suffixes, suffix)
}
