package batch

import (
	"reflect"
	"slices"
	"testing"
)

// TestInputsAreSpared: a batch lists each kind of file that a job reads, so that none is overwritten.
func TestInputsAreSpared(t *testing.T) {
	file := func(path string) *File { return &File{Path: path} }
	m := &Manifest{File: "m.yaml", Jobs: []Job{{
		Path: "model", Automaton: file("automaton"), States: file("states"), Lanes: file("lanes"), Config: file("config"), TLA: file("tla"),
		Source: &Source{Paths: []string{"source"}},
	}}}
	listed := m.inputs()
	job := reflect.ValueOf(m.Jobs[0])
	for i := range job.NumField() {
		field := job.Type().Field(i)
		if field.Type != reflect.TypeFor[*File]() {
			continue
		}
		f, _ := job.Field(i).Interface().(*File)
		if f == nil {
			t.Errorf("the test does not know the file %s of a job", field.Name)
		} else if !slices.Contains(listed, f.Path) {
			t.Errorf("%s is not spared", field.Name)
		}
	}
	if !slices.Contains(listed, "source") {
		t.Error("the specification is not spared")
	}
}
