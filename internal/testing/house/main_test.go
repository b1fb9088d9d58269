package house

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests in the top folder of the module: the names in documents and tables are seen from there.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
