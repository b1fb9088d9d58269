package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type modelsQuestion struct {
	Match  string `json:"match,omitempty" jsonschema:"only files whose path has this in it"`
	Offset int    `json:"offset,omitempty" jsonschema:"leave so many of these files out, to go on where a text was cut"`
}

const (
	mostFound  = 10_000  // files that are listed
	mostLooked = 200_000 // files and folders that are looked at below all roots
	mostDepth  = 16      // folders within each other
)

// addModels adds the tool that lists models.
func (s *Server) addModels() {
	schema, err := jsonschema.For[modelsQuestion](nil)
	if err != nil {
		panic(err) // the type above
	}
	oneShape(schema)
	tool := describe("models", "List the models below the roots, with their sizes: the paths that other tools take.", schema)
	addTool(s, tool, func(ctx context.Context, roots []string, q modelsQuestion) (*mcp.CallToolResult, error) {
		if len(roots) == 0 {
			return nil, errors.New("there are no roots: start inev-mcp with -root and the folder of the models")
		}
		found, err := modelsBelow(ctx, roots, q.Match)
		if err != nil {
			return nil, err
		}
		head := fmt.Sprintf("%d models", len(found))
		if len(found) == 1 {
			head = "1 model"
		}
		lines := append([]string{head}, found[min(max(q.Offset, 0), len(found)):]...)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: paged(lines, q.Offset)}}}, nil
	})
}

// modelsBelow returns a line for each model below the roots, in the order of their paths: its path, and its size. It
// follows no links.
func modelsBelow(ctx context.Context, roots []string, match string) ([]string, error) {
	var found []string
	looked := 0
	for _, root := range roots {
		below, err := os.OpenRoot(root)
		if err != nil {
			return nil, fmt.Errorf("a root cannot be read: %w", errors.Unwrap(err))
		}
		err = fs.WalkDir(below.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			looked++
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return nil // a folder that may not be read has no models for anybody
			case len(found) == mostFound || looked > mostLooked:
				return fs.SkipAll
			case entry.IsDir():
				if name != "." && (strings.HasPrefix(entry.Name(), ".") || strings.Count(name, "/") >= mostDepth) {
					return fs.SkipDir
				}
				return nil
			case !entry.Type().IsRegular() || !isModel(name) || !strings.Contains(name, match):
				return nil
			}
			size := "?"
			if info, err := entry.Info(); err == nil {
				size = fmt.Sprint(info.Size())
			}
			found = append(found, name+"  "+size+" bytes")
			return nil
		})
		below.Close()
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(found)
	return found, nil
}

// isModel reports whether inev reads models from files of such a name, and without another program.
func isModel(name string) bool {
	name = strings.ToLower(path.Base(name))
	for _, compressed := range []string{".gz", ".zst", ".bz2", ".xz"} {
		name = strings.TrimSuffix(name, compressed)
	}
	return slices.Contains([]string{".aut", ".autx", ".clts", ".exp", ".lts", ".fsm", ".dot"}, path.Ext(name))
}
