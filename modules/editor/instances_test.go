package editor

import "testing"

// TestInstancesAreCounted: the sentence about instances agrees in number, and names the further violated ones.
func TestInstancesAreCounted(t *testing.T) {
	for _, c := range []struct {
		all, hold int
		violated  []string
		want      string
	}{
		{3, 3, nil, "all 3 properties hold; this is about the last"},
		{3, 2, nil, "2 of 3 properties hold; this is about the last of them"},
		{3, 2, []string{"A"}, "1 of 3 properties is violated"},
		{3, 1, []string{"A", "B"}, "2 of 3 properties are violated, also B"},
	} {
		if got := describeInstances(c.all, c.hold, c.violated); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
