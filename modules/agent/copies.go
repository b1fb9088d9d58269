package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/stoppable"
)

// mostModel is the largest size of a model's file, in bytes.
const mostModel = 1 << 30

// mostFiles is the largest number of files of a network, and mostNetwork the largest size, in bytes, of those that name others.
const (
	mostFiles   = 1000
	mostNetwork = 256 << 10
)

// copies is a folder with copies of files below the roots: nobody can replace a copy between the check and the time when inev
// reads it. Sentences name a file as the client did, so a copy has the same path below the folder as the file has below
// its root. The copy of a file with an absolute path has only its name, in a folder of its own if need be.
type copies struct {
	roots  []string
	folder string
	// originals has the name by which the client, or a network, named the original of each copy.
	originals map[string]string
}

func newCopies(roots []string, folder string) *copies {
	return &copies{roots: roots, folder: folder, originals: map[string]string{}}
}

// addAll copies the models of a command, or its model and log, and returns their paths below the folder.
func (c *copies) addAll(ctx context.Context, asked command) ([]string, error) {
	var (
		added      []string
		notRegular *inputfile.KindError
	)
	for i, name := range asked.models {
		local := filepath.Clean(filepath.FromSlash(name))
		if !filepath.IsLocal(local) {
			local = filepath.Join(folderFor(asked.name, i), filepath.Base(local))
		}
		err := c.addModel(ctx, name, local)
		switch {
		case errors.Is(err, os.ErrNotExist) && isLog(asked.name, i):
			return nil, fmt.Errorf("%w; put the log below a root, and give its path there", err)
		case errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("%w; %s", err, c.whereModelsAre(ctx, name))
		case errors.As(err, &notRegular):
			return nil, errors.New(err.Error() + c.modelsIn(ctx, name))
		case err != nil:
			return nil, err
		}
		added = append(added, local)
	}
	return added, nil
}

// whereModelsAre returns advice about a name that no file below the roots has.
func (c *copies) whereModelsAre(ctx context.Context, name string) string {
	meant := modelsNamed(ctx, c.roots, name)
	if len(meant) == 0 {
		return "the tool models lists the files there"
	}
	return fmt.Sprintf("did you mean %s?", printable.List(meant, "or"))
}

// modelsIn returns advice about a name that a folder below the roots has: "" if there are no models in the folder.
func (c *copies) modelsIn(ctx context.Context, folder string) string {
	pattern, err := regexp.Compile(`(^|/)` + regexp.QuoteMeta(path.Base(filepath.ToSlash(folder))) + `/`)
	if err != nil {
		return "" // the name is no UTF-8
	}
	within := firstModels(ctx, c.roots, pattern)
	if len(within) == 0 {
		return ""
	}
	return fmt.Sprintf(", such as %s", printable.List(within, "or"))
}

// isLog reports whether file i of a command is a log and no model.
func isLog(tool string, i int) bool { return tool == "replay" && i > 0 }

// folderFor returns the folder for the copy of model i of a command, if that has an absolute path: two such files may have
// one name.
func folderFor(tool string, i int) string {
	switch {
	case tool == "compare":
		return []string{"old", "new"}[i]
	case isLog(tool, i):
		return "log"
	}
	return "."
}

// addModel copies a model to a path below the folder and, if it is a network, the files that it names.
func (c *copies) addModel(ctx context.Context, name, local string) error {
	specification := frontend.Specification{Path: name}
	switch {
	case specification.IsComposed():
		return c.addNetwork(ctx, name, filepath.Dir(local))
	case specification.Made() != "":
		return fmt.Errorf("%q is a specification, and another program would have to make its model: have inev convert write a model first", name)
	}
	return c.addFile(ctx, name, local)
}

// addNetwork copies a network and the files that it names, all of which are in its folder or below that.
func (c *copies) addNetwork(ctx context.Context, name, folder string) error {
	name = filepath.ToSlash(name)
	dir, network := path.Split(name)
	files := []string{network}
	tried := map[string]bool{network: true}
	for i := 0; i < len(files); i++ {
		local := filepath.Join(folder, filepath.FromSlash(files[i]))
		if err := c.addFile(ctx, dir+files[i], local); err != nil {
			return err
		}
		if !frontend.NamesFiles(files[i]) {
			continue
		}
		named, err := filesOfNetwork(filepath.Join(c.folder, local))
		if err != nil {
			return fmt.Errorf("%q: %w", dir+files[i], err)
		}
		for _, part := range named {
			part = path.Join(path.Dir(files[i]), part)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if tried[part] || !isThere(ctx, c.roots, dir+part) {
				continue
			}
			tried[part] = true
			files = append(files, part)
			if len(files) > mostFiles {
				return fmt.Errorf("%q has more than %d files: ask the command inev about it", name, mostFiles)
			}
		}
	}
	return nil
}

// addFile copies a file to a path below the folder. Two networks may have a component in common: it is copied once.
func (c *copies) addFile(ctx context.Context, name, local string) error {
	original := path.Clean(filepath.ToSlash(name))
	earlier, isCopied := c.originals[local]
	switch {
	case isCopied && earlier == original:
		return nil
	case isCopied:
		return fmt.Errorf("%q and %q would have one name here: name them by their paths below the root", earlier, name)
	case filepath.Base(local) == "-":
		return fmt.Errorf("%q stands for standard input: give the model another name", name)
	}
	from, err := openModel(ctx, c.roots, name)
	if err != nil {
		return err
	}
	defer from.Close()
	to := filepath.Join(c.folder, local)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := copyInto(ctx, to, from); err != nil {
		return fmt.Errorf("%q %w", name, err)
	}
	c.originals[local] = original
	return nil
}

// copyInto copies a model to a new file.
func copyInto(ctx context.Context, to string, from io.Reader) error {
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot be copied: %w", err)
	}
	size, err := io.Copy(file, stoppable.EachRead(ctx, io.LimitReader(from, mostModel+1)))
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cannot be copied: %w", err)
	}
	if size > mostModel {
		return errors.New("has more than 1 GB: ask the command inev about it")
	}
	return nil
}

// filesOfNetwork returns the names of files that the text of a copied network, or of a copied
// file of one, may name; few of them exist. It fails if the text can name a file outside of its
// folder.
func filesOfNetwork(at string) ([]string, error) {
	text, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	if len(text) > mostNetwork {
		return nil, errors.New("it has more than 256 kB: ask the command inev about it")
	}
	return frontend.OwnFiles(string(text))
}

// isThere reports whether a file below a root can be opened.
func isThere(ctx context.Context, roots []string, name string) bool {
	f, err := openModel(ctx, roots, name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
