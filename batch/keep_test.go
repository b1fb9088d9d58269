package batch

import "testing"

// TestKeptModel: the name is made of the content, and its suffix is a plain one.
func TestKeptModel(t *testing.T) {
	for model, want := range map[string]string{
		"a/m.aut": "models/ff.aut", "m.aut.gz": "models/ff.aut.gz", "m.zst": "models/ff.zst", "m": "models/ff", "m.a b": "models/ff", "x.y/m": "models/ff", "m.dot.bz2": "models/ff.dot.bz2",
	} {
		r := &Result{Job: Job{Model: model, KeepModel: true}, ModelDigest: "ff"}
		if have := r.KeptModel(); have != want {
			t.Errorf("%s: %s, want %s", model, have, want)
		}
	}
	for _, r := range []*Result{{ModelDigest: "ff"}, {Job: Job{KeepModel: true}}} {
		if have := r.KeptModel(); have != "" {
			t.Errorf("%+v is kept as %s", r, have)
		}
	}
}
