package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// writeModel writes a model as .clts or as .aut, compressed as the suffix of path says.
func writeModel(w io.Writer, m *lts.LTS, path string) (warnings []string, err error) {
	if strings.HasSuffix(path, ".clts") {
		return nil, format.WriteCompressed(w, m)
	}
	compressed, err := aut.Compress(w, path)
	if err != nil {
		return nil, err
	}
	if warnings, err = aut.Write(compressed, m); err != nil {
		return nil, err
	}
	return warnings, compressed.Close()
}

// saveModel writes a model to a file.
func saveModel(j *call, m *lts.LTS, path string) {
	var warnings []string
	j.save(path, func(w io.Writer) (err error) {
		warnings, err = writeModel(w, m, path)
		return err
	})
	j.warn(warnings)
}

// writeAutx writes classes and neighbourhoods in CLEAR's format.
func writeAutx(j *call, w io.Writer, n *neighbourhood.Classification, unfolded bool) error {
	warnings, err := format.WriteAUTX(w, n)
	if unfolded {
		warnings = append(warnings, "the states in the .autx file are those of the unfolded model, numbered anew")
	}
	if err == nil {
		j.warn(warnings)
	}
	return err
}

// writesAutx reports whether the name of a file stands for CLEAR's format.
func writesAutx(path string) bool { return strings.EqualFold(filepath.Ext(path), ".autx") }
