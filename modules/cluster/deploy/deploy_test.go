// Package deploy has no code: it checks what servers and workers are deployed with against
// the schemas of who reads it.
package deploy

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/nats-io/nats-server/v2/server"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// objectsIn reads the objects of a file, by their kinds. Fields that a kind does not have
// are errors, and so are values of another type.
func objectsIn(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("kubernetes", name))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var head struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal(document, &head); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		object, known := map[string]any{
			"v1 ConfigMap": &corev1.ConfigMap{}, "v1 Service": &corev1.Service{},
			"policy/v1 PodDisruptionBudget": &policyv1.PodDisruptionBudget{}, "networking.k8s.io/v1 NetworkPolicy": &networkingv1.NetworkPolicy{},
			"apps/v1 StatefulSet": &appsv1.StatefulSet{}, "apps/v1 Deployment": &appsv1.Deployment{},
			"batch/v1 Job": &batchv1.Job{},
		}[head.APIVersion+" "+head.Kind]
		if !known {
			t.Fatalf("%s: there is no kind %s in %s", name, head.Kind, head.APIVersion)
		}
		if err := yaml.UnmarshalStrict(document, object); err != nil {
			t.Errorf("%s: %s: %v", name, head.Kind, err)
		}
		all[head.Kind] = object
	}
	return all
}

// selects demands that pods have the labels that they are selected by.
func selects(t *testing.T, name string, pod corev1.PodTemplateSpec, selector map[string]string) {
	t.Helper()
	for key, value := range selector {
		if pod.Labels[key] != value {
			t.Errorf("%s: selects %s=%s, and its pods have %v", name, key, value, pod.Labels)
		}
	}
}

// checkPod demands what the schema of a pod does not: that names lead somewhere, and that
// nothing has rights that it does not need.
func checkPod(t *testing.T, name string, pod corev1.PodTemplateSpec, selector map[string]string, claims ...string) {
	t.Helper()
	selects(t, name, pod, selector)
	volumes := claims
	for _, v := range pod.Spec.Volumes {
		volumes = append(volumes, v.Name)
	}
	if s := pod.Spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot {
		t.Errorf("%s: may run as root", name)
	}
	for _, c := range pod.Spec.Containers {
		var ports []string
		for _, p := range c.Ports {
			ports = append(ports, p.Name)
		}
		for _, m := range c.VolumeMounts {
			if !slices.Contains(volumes, m.Name) {
				t.Errorf("%s: mounts %s, which is no volume", name, m.Name)
			}
		}
		for _, p := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
			if p != nil && !slices.Contains(ports, p.HTTPGet.Port.StrVal) {
				t.Errorf("%s: asks port %s, which it has not", name, p.HTTPGet.Port.StrVal)
			}
		}
		if s := c.SecurityContext; s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem {
			t.Errorf("%s: has rights that it does not need", name)
		}
		if strings.HasPrefix(c.Image, "inev-cluster:") {
			checkCommand(t, name, c.Args)
		}
	}
}

// secretsOf returns the secrets that a pod has.
func secretsOf(pod corev1.PodTemplateSpec) map[string]bool {
	all := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		if v.Secret != nil {
			all[v.Secret.SecretName] = true
		}
	}
	for _, c := range pod.Spec.Containers {
		for _, from := range c.EnvFrom {
			if from.SecretRef != nil {
				all[from.SecretRef.Name] = true
			}
		}
	}
	return all
}

// passwords are those of all roles, which differ.
func passwords() (environment []string) {
	for _, role := range []string{"RUNNER", "STATUS", "WORKER_0", "WORKER_1", "WORKER_2", "WORKER_3"} {
		environment = append(environment, "INEV_"+role+"_PASSWORD=secret-of-"+role)
	}
	return environment
}

// checkCommand demands that inev-cluster has a command and its flags.
func checkCommand(t *testing.T, where string, args []string) {
	t.Helper()
	text, err := filepath.Glob(filepath.Join("..", "cmd", "inev-cluster", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, name := range text {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(file)
	}
	for i, word := range args {
		flag, is := strings.CutPrefix(word, "-")
		if i > 0 && !is {
			continue
		}
		if !regexp.MustCompile(`Name: +"` + regexp.QuoteMeta(strings.TrimPrefix(flag, "-")) + `"`).MatchString(source.String()) {
			t.Errorf("%s: inev-cluster has no %s", where, word)
		}
	}
}

// TestKubernetes: the manifests are what the API of Kubernetes takes, and fit together.
func TestKubernetes(t *testing.T) {
	servers := objectsIn(t, "servers.yaml")
	set := servers["StatefulSet"].(*appsv1.StatefulSet)
	if *set.Spec.Replicas != 3 {
		t.Errorf("%d servers, want three", *set.Spec.Replicas)
	}
	service := servers["Service"].(*corev1.Service)
	if set.Spec.ServiceName != service.Name || service.Spec.ClusterIP != corev1.ClusterIPNone {
		t.Errorf("the service %q of the servers is not %q", set.Spec.ServiceName, service.Name)
	}
	checkPod(t, "servers", set.Spec.Template, set.Spec.Selector.MatchLabels, set.Spec.VolumeClaimTemplates[0].Name)
	selects(t, "service", set.Spec.Template, service.Spec.Selector)
	budget := servers["PodDisruptionBudget"].(*policyv1.PodDisruptionBudget)
	selects(t, "budget", set.Spec.Template, budget.Spec.Selector.MatchLabels)
	policy := servers["NetworkPolicy"].(*networkingv1.NetworkPolicy)
	selects(t, "policy", set.Spec.Template, policy.Spec.PodSelector.MatchLabels)
	for _, rule := range policy.Spec.Ingress {
		for _, port := range rule.Ports {
			if n := port.Port.IntValue(); n != 4222 && (n != 6222 || len(rule.From) != 1) {
				t.Errorf("others than the servers reach port %d", n)
			}
		}
	}
	config, err := os.ReadFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if got := servers["ConfigMap"].(*corev1.ConfigMap).Data["nats.conf"]; strings.TrimSpace(got) != strings.TrimSpace(string(config)) {
		t.Error("the configuration in servers.yaml is not nats.conf")
	}

	workers := objectsIn(t, "workers.yaml")["StatefulSet"].(*appsv1.StatefulSet)
	checkPod(t, "workers", workers.Spec.Template, workers.Spec.Selector.MatchLabels)
	for i := range *workers.Spec.Replicas {
		if !strings.Contains(string(config), fmt.Sprintf("user: worker-%d,", i)) {
			t.Errorf("worker %d is no user of the servers", i)
		}
	}
	for _, m := range workers.Spec.Template.Spec.Containers[0].VolumeMounts {
		if m.Name == "credentials" && m.SubPathExpr != "$(POD_NAME)" {
			t.Error("workers see the credentials of others")
		}
	}
	if secretsOf(workers.Spec.Template)["inev-runner"] || secretsOf(workers.Spec.Template)["inev-passwords"] {
		t.Error("workers have the secrets of other roles")
	}
	runner := objectsIn(t, "runner.yaml")["Job"].(*batchv1.Job)
	checkPod(t, "runner", runner.Spec.Template, nil)
	if runner.Spec.PodFailurePolicy.Rules[0].Action != batchv1.PodFailurePolicyActionFailJob ||
		*runner.Spec.PodFailurePolicy.Rules[0].OnExitCodes.ContainerName != runner.Spec.Template.Spec.Containers[0].Name {
		t.Error("the runner is started again where jobs fail")
	}
}

// TestSchemasAreStrict: a mistake would be noticed.
func TestSchemasAreStrict(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("kubernetes", "workers.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for right, wrong := range map[string]string{"replicas: 4": "replica: 4", "memory: 8Gi": "memory: 8Gx", "name: worker": "name: [worker]"} {
		mistaken := bytes.ReplaceAll(text, []byte(right), []byte(wrong))
		if bytes.Equal(mistaken, text) {
			t.Errorf("workers.yaml has no %q", right)
		}
		if err := yaml.UnmarshalStrict(mistaken, &appsv1.StatefulSet{}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// TestCompose: the compose file is what its specification takes.
func TestCompose(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{"compose.yaml"}, cli.WithEnv(passwords()), cli.WithProfiles([]string{"run"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	servers := 0
	for _, s := range project.Services {
		if strings.HasPrefix(s.Name, "nats-") {
			servers++
			continue
		}
		checkCommand(t, s.Name, s.Command)
	}
	if servers != 3 {
		t.Errorf("%d servers, want 3", servers)
	}
	for i := range 4 {
		name := fmt.Sprintf("worker-%d", i)
		worker, there := project.Services[name]
		if !there || len(worker.Configs) != 1 || worker.Configs[0].Source != name {
			t.Errorf("%s sees %+v, want its own credentials alone", name, worker.Configs)
		}
		for variable := range worker.Environment {
			if strings.HasPrefix(variable, "INEV_") {
				t.Errorf("%s has %s", name, variable)
			}
		}
		if got, want := project.Configs[name].Content, fmt.Sprintf("worker-%d:secret-of-WORKER_%d", i, i); got != want {
			t.Errorf("credentials are %q, want %q", got, want)
		}
	}
	if got := project.Configs["runner"].Content; got != "runner:secret-of-RUNNER" {
		t.Errorf("credentials are %q", got)
	}
}

// TestServersReadTheirConfiguration: the server itself takes nats.conf.
func TestServersReadTheirConfiguration(t *testing.T) {
	folder := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{
		"tls.crt": certificate, "ca.crt": certificate, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"nats.conf": bytes.ReplaceAll(config, []byte("/etc/nats-tls"), []byte(filepath.ToSlash(folder))),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SERVER_NAME", "nats-1")
	t.Setenv("MONITOR", "127.0.0.1:8222")
	for _, variable := range passwords() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	o, err := server.ProcessConfigFile(filepath.Join(folder, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	// Users of several accounts come in any order.
	known := slices.ContainsFunc(o.Users, func(u *server.User) bool { return u.Password == "secret-of-RUNNER" })
	if o.ServerName != "nats-1" || len(o.Users) != 6 || !known || o.TLSConfig == nil || o.Cluster.TLSConfig == nil || len(o.Routes) != 3 || !o.SyncAlways || o.HTTPHost != "127.0.0.1" || o.HTTPPort != 8222 {
		t.Errorf("%q, %d users, TLS %v and %v, %d routes, sync always %v", o.ServerName, len(o.Users), o.TLSConfig != nil, o.Cluster.TLSConfig != nil, len(o.Routes), o.SyncAlways)
	}
}

// TestDockerfile: what it copies is there, what it builds is the command, and the modules
// are those of one server version everywhere.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, copied := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(string(text), -1) {
		for _, name := range strings.Fields(copied[1]) {
			if _, err := os.Stat(filepath.Join("..", "..", "..", name)); err != nil {
				t.Error(err)
			}
		}
	}
	if !regexp.MustCompile(`go -C modules/cluster build .* -o /out/inev-cluster \./cmd/inev-cluster`).Match(text) {
		t.Error("it does not build inev-cluster")
	}
	ignored, err := os.ReadFile(filepath.Join("..", "..", "..", ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`(?m)^modules`).Match(ignored) {
		t.Error("the module is left out of what is built")
	}
	module, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`nats-server/v2 v(\S+)`).FindSubmatch(module)[1]
	for _, name := range []string{"compose.yaml", filepath.Join("kubernetes", "servers.yaml")} {
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, append([]byte("image: nats:"), version...)) {
			t.Errorf("%s has another server than %s (error %v)", name, version, err)
		}
	}
}
