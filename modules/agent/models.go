package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
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
		lines := make([]string, len(found))
		for i, model := range found {
			lines[i] = model.path + "  " + model.size + " bytes"
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: paged(head,
			lines, q.Offset)}}}, nil
	})
}

// foundModel is a model below a root.
type foundModel struct {
	path string // as the tools take it
	size string // in bytes, ? if it is not known
}

// modelsNamed returns up to three paths of models below the roots whose file has this name, with or without its
// suffix, in any case: those that a client means who left out the folder.
func modelsNamed(ctx context.Context, roots []string, name string) []string {
	base := path.Base(filepath.ToSlash(name))
	pattern, err := regexp.Compile(`(?i)(^|/)` + regexp.QuoteMeta(base) + `(\.\w+)*$`)
	if err != nil {
		return nil // the name is no UTF-8
	}
	return firstModels(ctx, roots, pattern)
}

// firstModels returns up to three paths of models below the roots that a pattern matches.
func firstModels(ctx context.Context, roots []string, pattern *regexp.Regexp) []string {
	found, err := modelsBelow(ctx, roots, pattern)
	if err != nil {
		return nil // what is said about the name is enough
	}
	var paths []string
	for _, model := range found[:min(len(found), 3)] {
		paths = append(paths, model.path)
	}
	return paths
}

// modelsBelow returns the models below the roots whose path matches a pattern, in the order of the paths. If an
// earlier root has a model of the same path, the path of the later one has its root, because tools would take the
// earlier file. modelsBelow follows no links, and enters no folder whose name begins with a dot; it stops after
// mostListed models or mostVisited files and folders, and looks no deeper than mostDepth.
func modelsBelow(
	ctx context.Context,
	roots []string,
	pattern *regexp.Regexp,
) ([]foundModel, error) {
	w := &modelWalk{ctx: ctx, pattern: pattern, isTaken: map[string]bool{}}
	for _, root := range roots {
		if err := w.visitRoot(root); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.found, func(a, b foundModel) int { return cmp.Compare(a.path, b.path) })
	return w.found, nil
}

// modelWalk looks for models below several roots.
type modelWalk struct {
	ctx     context.Context
	pattern *regexp.Regexp
	root    string
	files   fs.FS // below the root
	found   []foundModel
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
	w.files = below.FS()
	return fs.WalkDir(w.files, ".", w.visit)
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
	case isGraphviz(w.files, name):
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
	w.found = append(w.found, foundModel{path: name, size: size})
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

// isGraphviz reports whether a file is a picture for Graphviz: TLC writes its state graphs to files of the same suffix,
// and begins them in its own way.
func isGraphviz(files fs.FS, name string) bool {
	if strings.ToLower(path.Ext(name)) != ".dot" {
		return false
	}
	file, err := files.Open(name)
	if err != nil {
		return false // reading it says why
	}
	defer file.Close()
	start := make([]byte, 512)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false
	}
	_, isGraphOfTLC := format.ByContent(start[:n])
	return !isGraphOfTLC
}
