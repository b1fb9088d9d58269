//go:build !js

package frontend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/wholefile"
)

// cacheLimit is the largest total size of the models in a cache.
const cacheLimit = 1 << 30

// cache keeps the most recently used models between runs. A model is in it
// once its note exists. Errors of the cache are ignored: then the model is
// made.
type cache struct {
	folder    string // "" for none
	mostBytes int64
	now       func() time.Time
}

// note describes a model in the cache.
type note struct {
	Schema string `json:"schema"`
	// Model is the name of the model's file; SHA256 and Bytes are the hash and the size of its
	// content.
	Model  string `json:"model"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Made   string `json:"made_of"`
}

const noteSchema = "inev.made/1"

// find returns the model of a key, and records its use.
func (c cache) find(ctx context.Context, key, suffix string) (path string, found bool) {
	if c.folder == "" {
		return "", false
	}
	noteFile := filepath.Join(c.folder, key+".json")
	text, err := inputfile.ReadRegular(ctx, noteFile, inputfile.Limit{Bytes: 16 << 20})
	if err != nil {
		return "", false
	}
	var n note
	path = filepath.Join(c.folder, key+suffix)
	if json.Unmarshal(text, &n) != nil || n.Schema != noteSchema {
		return "", false
	}
	if sum, size, err := inputfile.Digest(ctx, path); err != nil || sum != n.SHA256 || size != n.Bytes {
		return "", false
	}
	now := c.now()
	_ = os.Chtimes(noteFile, now, now)
	return path, true
}

// store stores a model, and returns its path; "" if it is not stored.
func (c cache) store(ctx context.Context, w *work, path string) (kept string) {
	if c.folder == "" {
		return ""
	}
	sum, size, err := inputfile.Digest(ctx, path)
	if err != nil || size > c.mostBytes || os.MkdirAll(c.folder, 0o755) != nil {
		return ""
	}
	kept = filepath.Join(c.folder, w.key+w.tool.made)
	if copyFile(ctx, path, kept) != nil {
		return ""
	}
	text, err := json.MarshalIndent(note{
		Schema: noteSchema,
		Model:  filepath.Base(kept),
		SHA256: sum,
		Bytes:  size,
		Made:   w.name,
	}, "", "  ")
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

// tidy removes files without a note. Then it removes models, the least recently used first, until
// the others fit, but never the model of the key.
func (c cache) tidy(key string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	var kept []*cachedModel
	total := int64(0)
	for _, m := range cachedModels(entries) {
		if !m.hasNote {
			c.removeAbandoned(m)
			continue
		}
		if len(m.files) > 0 {
			kept = append(kept, m)
			total += m.size
		}
	}
	slices.SortFunc(kept, func(a, b *cachedModel) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.key, b.key))
	})
	for _, m := range kept {
		if total <= c.mostBytes {
			return
		}
		if m.key != key {
			total -= m.size
			c.remove(m)
		}
	}
}

// cachedModel is a model in the cache: the files of one key.
type cachedModel struct {
	key     string
	hasNote bool      // there is a note
	used    time.Time // the time of the note
	size    int64     // of the files beside the note
	files   []fs.FileInfo
}

// cachedModels returns the models among the entries of a folder, by their keys.
func cachedModels(entries []fs.DirEntry) map[string]*cachedModel {
	models := map[string]*cachedModel{}
	for _, e := range entries {
		info, err := e.Info()
		suffix := filepath.Ext(e.Name())
		key := strings.TrimSuffix(e.Name(), suffix)
		if err != nil || !e.Type().IsRegular() || !isCacheKey(key) {
			continue
		}
		m := models[key]
		if m == nil {
			m = &cachedModel{key: key}
			models[key] = m
		}
		if suffix == ".json" {
			m.hasNote = true
			m.used = info.ModTime()
			continue
		}
		m.files = append(m.files, info)
		m.size += info.Size()
	}
	return models
}

func isCacheKey(name string) bool {
	return len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
}

// removeAbandoned removes the files of a model without a note, unless somebody may be about to write the
// note.
func (c cache) removeAbandoned(m *cachedModel) {
	const making = time.Hour
	for _, info := range m.files {
		if c.now().Sub(info.ModTime()) > making {
			_ = os.Remove(filepath.Join(c.folder, info.Name()))
		}
	}
}

func (c cache) remove(m *cachedModel) {
	_ = os.Remove(filepath.Join(c.folder, m.key+".json"))
	for _, info := range m.files {
		_ = os.Remove(filepath.Join(c.folder, info.Name()))
	}
}
