//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/batch/summary"
	"github.com/inev-lts/inev/report"
)

// files returns what lies in the folder, with the content of files of moderate size.
func (r *round) files() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := filepath.WalkDir(r.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == r.folder {
			return err
		}
		name, _ := filepath.Rel(r.folder, path)
		all[name] = nil
		if d.Type().IsRegular() && !strings.HasPrefix(name, "large") {
			all[name], err = os.ReadFile(path)
		}
		return err
	})
	return all, err
}

// whole reports an error where a file that was written is not complete, as far as its
// kind shows that.
func whole(path string, text []byte) error {
	ends := map[string]string{".html": "</html>", ".svg": "</svg>", ".dot": "}"}
	switch suffix := filepath.Ext(path); suffix {
	case ".json", ".sarif":
		var any any
		return json.Unmarshal(text, &any)
	case ".jsonl":
		for _, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
			var any any
			if err := json.Unmarshal(line, &any); err != nil && len(line) > 0 {
				return err
			}
		}
	case ".png":
		_, err := png.Decode(bytes.NewReader(text))
		return err
	case ".gz":
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return wholeModel(z)
	case ".zst":
		z, err := zstd.NewReader(bytes.NewReader(text))
		if err != nil {
			return err
		}
		defer z.Close()
		return wholeModel(z)
	case ".aut", ".seq":
		if suffix == ".aut" {
			return wholeModel(bytes.NewReader(text))
		}
	case ".html", ".svg", ".dot":
		if !strings.HasSuffix(strings.TrimSpace(string(text)), ends[suffix]) {
			return fmt.Errorf("does not end with %s", ends[suffix])
		}
		if suffix == ".svg" {
			return wellFormed(text)
		}
	case ".xml":
		return wellFormed(text)
	}
	return nil
}

func wellFormed(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// wholeModel compares the header with the number of lines.
func wholeModel(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var initial, transitions, states int
	if _, err := fmt.Sscanf(string(text[:min(len(text), 80)]), "des (%d,%d,%d)", &initial, &transitions, &states); err != nil {
		return fmt.Errorf("no header: %w", err)
	}
	if lines := bytes.Count(text, []byte("\n")) - 1; lines != transitions {
		return fmt.Errorf("%d lines for %d transitions", lines, transitions)
	}
	return nil
}

var times = regexp.MustCompile(`(?s)"timings_ms":\s*\{[^}]*\}|"started":"[^"]*"|"ms":[0-9.]+|"timings": \{.*|"stats":\s*\{.*|<code id="command">.*?</code>`)

// untimed returns a text without what differs from run to run, and without the command
// that a page names.
func untimed(text []byte) string { return string(times.ReplaceAll(text, nil)) }

// compileSchemas returns the JSON Schemas of inev by the name that a document gives.
func compileSchemas() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	texts := report.Schemas()
	texts["inev.summary/1"] = summary.JSONSchema()
	for name, text := range texts {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("schema.json", document); err != nil {
			return nil, err
		}
		if all[name], err = c.Compile("schema.json"); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// validJSON holds a document against the schema that it names.
func (r *round) validJSON(text string) error {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	fields, is := document.(map[string]any)
	if !is {
		return errors.New("the document is no object")
	}
	name, _ := fields["schema"].(string)
	if !strings.HasPrefix(name, "inev.") {
		return fmt.Errorf("the document names the schema %q", name)
	}
	if schema := r.schemas[name]; schema != nil {
		return schema.Validate(document)
	}
	return nil
}
