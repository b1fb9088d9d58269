package pagetest

import (
	"os"
	"testing"

	"github.com/inev-lts/inev/tools/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}
