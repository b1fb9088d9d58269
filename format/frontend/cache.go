//go:build !js

package frontend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// cacheLimit is the largest total size of the models in a cache.
const cacheLimit = 1 << 30

// cache keeps the most recently used models between runs. A model is in it
// once its note exists. Errors of the cache are ignored: then the model is
// made.
type cache struct {
	folder string // "" for none
	most   int64
	now    func() time.Time
}

// note describes a model in the cache.
type note struct {
	Schema string `json:"schema"`
	// Model is the name of the model's file; SHA256 and Bytes are the hash and the size of its
	// content.
	Model    string   `json:"model"`
	SHA256   string   `json:"sha256"`
	Bytes    int64    `json:"bytes"`
	Made     string   `json:"made_of"`
	Warnings []string `json:"warnings,omitempty"`
}

const noteSchema = "inev.made/1"

// find returns the model of a key, and records its use.
func (c cache) find(ctx context.Context, key, suffix string) (path string, warnings []string, found bool) {
	if c.folder == "" {
		return "", nil, false
	}
	at := filepath.Join(c.folder, key+".json")
	text, err := inputfile.ReadRegular(ctx, at, inputfile.Limit{Bytes: 16 << 20})
	if err != nil {
		return "", nil, false
	}
	var n note
	path = filepath.Join(c.folder, key+suffix)
	if json.Unmarshal(text, &n) != nil || n.Schema != noteSchema {
		return "", nil, false
	}
	if sum, size, err := digestOf(ctx, path); err != nil || sum != n.SHA256 || size != n.Bytes {
		return "", nil, false
	}
	now := c.now()
	_ = os.Chtimes(at, now, now)
	return path, n.Warnings, true
}

func digestOf(ctx context.Context, path string) (digest string, size int64, err error) {
	f, err := inputfile.OpenRegular(ctx, path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err = io.Copy(sum, stoppable.EachRead(ctx, f))
	return hex.EncodeToString(sum.Sum(nil)), size, err
}

// put stores a model, and returns its path; "" if it is not stored.
func (c cache) put(ctx context.Context, w *work, path string, warnings []string) (kept string) {
	if c.folder == "" {
		return ""
	}
	sum, size, err := digestOf(ctx, path)
	if err != nil || size > c.most || os.MkdirAll(c.folder, 0o755) != nil {
		return ""
	}
	kept = filepath.Join(c.folder, w.key+w.tool.made)
	if copyFile(ctx, path, kept) != nil {
		return ""
	}
	text, err := json.MarshalIndent(note{noteSchema, filepath.Base(kept), sum, size, w.name, warnings}, "", "  ")
	if err != nil {
		return ""
	}
	err = wholefile.WriteContext(ctx, filepath.Join(c.folder, w.key+".json"), func(out io.Writer) error {
		_, err := out.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return ""
	}
	c.tidy(w.key)
	return kept
}

// tidy removes files without a note, and the models that were not used for
// the longest time, until the others fit. It keeps the model of the key.
func (c cache) tidy(key string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	type kept struct {
		key  string
		used time.Time
		size int64
	}
	noted, files := map[string]*kept{}, map[string][]fs.FileInfo{}
	for _, e := range entries {
		info, err := e.Info()
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		if err != nil || !e.Type().IsRegular() || !isKey(name) {
			continue
		}
		if filepath.Ext(e.Name()) == ".json" {
			noted[name] = &kept{key: name, used: info.ModTime()}
		} else {
			files[name] = append(files[name], info)
		}
	}
	var all []*kept
	total := int64(0)
	for name, infos := range files {
		k := noted[name]
		for _, info := range infos {
			const making = time.Hour // somebody may be about to write the note
			if k == nil && c.now().Sub(info.ModTime()) > making {
				_ = os.Remove(filepath.Join(c.folder, info.Name()))
			}
			if k != nil {
				k.size += info.Size()
			}
		}
		if k != nil {
			all = append(all, k)
			total += k.size
		}
	}
	slices.SortFunc(all, func(a, b *kept) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.key, b.key)) })
	for _, k := range all {
		if total <= c.most {
			return
		}
		if k.key == key {
			continue
		}
		total -= k.size
		_ = os.Remove(filepath.Join(c.folder, k.key+".json"))
		for _, info := range files[k.key] {
			_ = os.Remove(filepath.Join(c.folder, info.Name()))
		}
	}
}

// isKey reports whether a name has the form of a key.
func isKey(name string) bool {
	return len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
}
