package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/tools/browsertest"
)

// host serves the playground until it is cut off.
type host struct {
	name, url string
	cut       func()
}

// hosts are one that knows nothing of the playground, and inev itself.
func hosts(t *testing.T) []host {
	t.Helper()
	folder, err := playground()
	if err != nil {
		t.Fatal(err)
	}
	static := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(static.Close)
	file, err := command()
	if err != nil {
		t.Fatal(err)
	}
	c := golden.Command(t, file, "serve", "--playground", "--engine-dir", folder)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		c.Process.Kill()
		c.Wait()
	})
	t.Cleanup(end)
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return []host{{"a static host", static.URL + "/", static.Close}, {"inev serve", strings.TrimSpace(url), end}}
}

// TestOffline: all is loaded from where the page is, and after the first answer nothing more: without a network
// it answers about other properties, of a reader's own model too, and draws.
func TestOffline(t *testing.T) {
	folder, _ := playground()
	at := filepath.Join(folder, "examples", "travel")
	for _, h := range hosts(t) {
		b := browsertest.OpenURL(t, h.url, emulation.SetDeviceMetricsOverride(1280, 900, 1, false))
		b.Until(answered + ` && document.documentElement.dataset.draws !== undefined && ` + idle)
		b.Want(`performance.getEntriesByType("resource").every(r => r.name.startsWith(location.origin + "/") || r.name.startsWith("blob:"))`, "true")
		b.Want(`document.querySelector("meta[http-equiv=Content-Security-Policy]").content.includes("default-src 'none'")`, "true")
		h.cut()
		ask(b, "Inev(BOOKING_REC)")
		if out, _ := said(t, at, "explain", "travel.aut", "Inev(BOOKING_REC)"); b.Value(shown) != out {
			t.Errorf("%s: without a network the page says\n%s", h.name, b.Value(shown))
		}
		b.Click("#tab-picture")
		b.Until(`document.getElementById("picture").naturalWidth > 0`)
		b.Want(mistake, "")
		b.Click("#tab-text")
		give(b, absolute(t, filepath.Join("..", "..", "examples", "abp", "abp.aut")))
		ask(b, "Inev(PUT)")
		b.Want(shown+`.startsWith("abp.aut violates Inev(PUT)")`, "true")
	}
}
