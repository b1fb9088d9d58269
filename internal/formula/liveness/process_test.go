package liveness

import "testing"

// TestProcessOfALabel: the process is the first argument, however it is written.
func TestProcessOfALabel(t *testing.T) {
	for label, want := range map[string]string{
		"Tick":                              "",
		"Put(p1)":                           "p1",
		"Put(p1,2)":                         "p1",
		`Send("a, (b", 1)`:                  `"a, (b"`,
		"Move(<<<<1, 2>>, 3>>,p)":           "<<<<1, 2>>, 3>>",
		"Take([at |-> 1, of |-> {1, 2}],2)": "[at |-> 1, of |-> {1, 2}]",
		"Broken(":                           "",
		"Tick to (x = 1)":                   "",
		"Put(p1) to !(x = 1)":               "p1",
	} {
		if got := Process(label); got != want {
			t.Errorf("%s: %q, want %q", label, got, want)
		}
	}
}
