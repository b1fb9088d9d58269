package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/modules/cluster"
)

// TestMetrics: while a batch runs, Prometheus is told where its jobs are, and what servers
// keep; each metric is in the table of the document.
func TestMetrics(t *testing.T) {
	folder := manifestWith(t, 1)
	m, err := batch.Open(t.Context(), folder+"/m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	here, err := cluster.Embed()
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	served, err := serveMetrics("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer served.close()
	if _, err := serveMetrics(served.listener.Addr().String()); err == nil {
		t.Error("two serve at one address")
	}
	stop, err := startWorker(t.Context(), func(error) {}, here, cluster.WorkerSettings{Name: "here", Version: "v1", Jobs: 1, EverySize: true, Results: folder + "/results"})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	nc, err := here.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	var first string
	s := cluster.Settings{Name: "night", InPlace: true, Observe: served.observe}
	s.Batch = batch.Settings{Folder: folder + "/results", Version: "v1", Finished: func(p batch.Progress) {
		if p.Done == 1 {
			first = scraped(t, served.url())
		}
	}}
	if out, err := cluster.Run(t.Context(), nc, m, s); err != nil || len(out.Results) != len(m.Jobs) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`inev_cluster_manifest_jobs{batch="night"} 11`, `inev_cluster_servers_up 1`, `inev_cluster_workers 1`,
		`inev_cluster_replicas_not_current{stream="INEV_JOBS"} 0`, `inev_cluster_leader{stream="INEV_RESULTS"} 1`,
		`inev_cluster_jobs{batch="night",state="sent"}`, `inev_cluster_oldest_job_seconds{batch="night"}`,
		`inev_cluster_stored_bytes{stream="INEV_JOBS"}`, `inev_cluster_lease_token{batch="night"}`,
	} {
		if !strings.Contains(first, want) {
			t.Errorf("there is no %s in\n%s", want, first)
		}
	}
	if n := len(regexp.MustCompile(`inev_cluster_jobs\{batch="night",state="(violated|satisfied|failed|error)"\} 1`).FindAllString(first, -1)); n != 1 {
		t.Errorf("%d jobs are done, want 1:\n%s", n, first)
	}
	text := document(t)
	for _, name := range regexp.MustCompile(`# TYPE (\S+)`).FindAllStringSubmatch(first, -1) {
		if !strings.Contains(text, "`"+name[1]) {
			t.Errorf("modules/cluster/README.md has no %s", name[1])
		}
	}
}

// scraped returns what is served at an address.
func scraped(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s (error %v)", answer.Status, text, err)
	}
	return string(text)
}
