package chart_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"tomtom-mcp-gateway/e2e/testkit"
)

// largestImage is how many bytes the files of the image may have.
const largestImage = 25_000_000

// builtImage is the image for one platform, read from the OCI layout that make image writes.
type builtImage struct {
	config struct {
		Architecture, OS string
		Config           struct {
			User       string
			Entrypoint []string
			Cmd        []string
			Env        []string
			Labels     map[string]string
		}
	}
	files   map[string][]byte // by path
	modes   map[string]int64
	packed  int64 // bytes of the layers as they are transferred
	holding int64 // bytes of the files
}

// layout is where make image writes to. Without it the test ends.
func layout(tb testing.TB) string {
	tb.Helper()
	if os.Getenv("E2E_IMAGE") == "" {
		tb.Skip("needs the built image: make image")
	}
	return filepath.Join(testkit.ModuleRoot(), "dist/image/oci")
}

type descriptor struct {
	MediaType, Digest string
	Size              int64
	Platform          struct{ Architecture, OS string }
}

// builtImages returns the image for each platform by its architecture.
func builtImages(tb testing.TB) map[string]builtImage {
	tb.Helper()
	dir := layout(tb)
	blob := func(digest string, into any) []byte {
		tb.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "blobs", strings.Replace(digest, ":", "/", 1)))
		if err != nil {
			tb.Fatal(err)
		}
		if into != nil {
			if err := json.Unmarshal(data, into); err != nil {
				tb.Fatal(err)
			}
		}
		return data
	}
	var index struct{ Manifests []descriptor }
	data, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err == nil {
		err = json.Unmarshal(data, &index)
	}
	if err != nil || len(index.Manifests) != 1 {
		tb.Fatalf("%s: %v, %d entries", dir, err, len(index.Manifests))
	}
	blob(index.Manifests[0].Digest, &index)
	all := map[string]builtImage{}
	for _, one := range index.Manifests {
		image := builtImage{files: map[string][]byte{}, modes: map[string]int64{}}
		var manifest struct {
			Config descriptor
			Layers []descriptor
		}
		blob(one.Digest, &manifest)
		blob(manifest.Config.Digest, &image.config)
		for _, layer := range manifest.Layers {
			image.packed += layer.Size
			image.unpack(tb, blob(layer.Digest, nil))
		}
		all[one.Platform.Architecture] = image
	}
	return all
}

// unpack reads a layer's files.
func (b *builtImage) unpack(tb testing.TB, layer []byte) {
	tb.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(layer))
	if err != nil {
		tb.Fatal(err)
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			tb.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(files)
		if err != nil {
			tb.Fatal(err)
		}
		if header.Uid != 0 {
			tb.Errorf("%s belongs to user %d", header.Name, header.Uid)
		}
		b.files[header.Name], b.modes[header.Name] = data, header.Mode
		b.holding += header.Size
	}
}

// root writes the image's root file system and returns its folder.
func (b *builtImage) root(tb testing.TB) string {
	tb.Helper()
	dir := openTempDir(tb)
	for name, data := range b.files {
		writeFile(tb, filepath.Join(dir, name), data, os.FileMode(b.modes[name]))
	}
	return dir
}

// TestImage looks at the image of every platform: what is in it, who it runs as, what it says of itself.
func TestImage(t *testing.T) {
	t.Parallel()
	images := builtImages(t)
	if got, want := slices.Sorted(maps.Keys(images)), os.Getenv("E2E_IMAGE"); strings.Join(got, " ") != want {
		t.Errorf("images for %q, want %s", got, want)
	}
	for architecture, image := range images {
		t.Run(architecture, func(t *testing.T) {
			t.Parallel()
			want := []string{
				"etc/ssl/certs/ca-certificates.crt", "gateway", "licences/LICENSE", "licences/THIRD_PARTY_LICENCES",
				"licences/preview/THIRD_PARTY_LICENCES", "sbom.cdx.json",
			}
			if got := slices.Sorted(maps.Keys(image.files)); !slices.Equal(got, want) {
				t.Errorf("files %q", got)
			}
			t.Logf("%d bytes, %d as transferred", image.holding, image.packed)
			if image.holding > largestImage {
				t.Errorf("%d bytes, above %d", image.holding, largestImage)
			}
			config := image.config.Config
			if config.User != "65532:65532" || !slices.Equal(config.Entrypoint, []string{"/gateway"}) || len(config.Cmd) > 0 {
				t.Errorf("user %s, entry point %q %q", config.User, config.Entrypoint, config.Cmd)
			}
			for _, label := range []string{"version", "revision", "licenses", "title", "description"} {
				if value := config.Labels["org.opencontainers.image."+label]; value == "" || value == "unknown" {
					t.Errorf("label %s is %q", label, value)
				}
			}
			checkStatic(t, image.files["gateway"], architecture)
			checkMaterials(t, image)
		})
	}
}

// checkStatic demands a program for the architecture that needs no other file.
func checkStatic(tb testing.TB, program []byte, architecture string) {
	tb.Helper()
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		tb.Fatal(err)
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[architecture]
	if file.Machine != machine {
		tb.Errorf("a program for %v", file.Machine)
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			tb.Errorf("the program has %v: it is not static", part.Type)
		}
	}
}

// checkMaterials compares the bill of materials with what is in the program, and demands a licence of everything but Go itself.
func checkMaterials(tb testing.TB, image builtImage) {
	tb.Helper()
	var bom cyclonedx.BOM
	if err := json.Unmarshal(image.files["sbom.cdx.json"], &bom); err != nil {
		tb.Fatal(err)
	}
	if got, want := bom.Metadata.Component.Version, image.config.Config.Labels["org.opencontainers.image.version"]; got != want {
		tb.Errorf("the bill of materials is of version %s, the image of %s", got, want)
	}
	listed := map[string]bool{}
	for _, component := range *bom.Components {
		listed[component.Name+" "+component.Version] = true
		if component.Licenses == nil && component.Name != "std" {
			tb.Errorf("no licence of %s", component.Name)
		}
	}
	var page cyclonedx.BOM
	if err := json.Unmarshal(readFile(tb, "docs/sbom.cdx.json"), &page); err != nil {
		tb.Fatal(err)
	}
	if got, want := materials(page), materials(bom); !slices.Equal(got, want) {
		tb.Errorf("docs/sbom.cdx.json is stale: run make sbom\n%q\n%q", got, want)
	}
	info, err := buildinfo.Read(bytes.NewReader(image.files["gateway"]))
	if err != nil {
		tb.Fatal(err)
	}
	if len(info.Deps) == 0 || !listed["ol "+version(bom, "ol")] {
		tb.Errorf("%d modules; the widget's packages are not listed", len(info.Deps))
	}
	for _, dep := range info.Deps {
		if !listed[dep.Path+" "+dep.Version] {
			tb.Errorf("%s %s is not listed", dep.Path, dep.Version)
		}
	}
}

// materials lists the components of a bill by name and version. Go itself is left out: it is what the machine has.
func materials(bom cyclonedx.BOM) []string {
	var all []string
	for _, component := range *bom.Components {
		if component.Name != "std" {
			all = append(all, component.Name+" "+component.Version)
		}
	}
	slices.Sort(all)
	return all
}

func version(bom cyclonedx.BOM, name string) string {
	for _, component := range *bom.Components {
		if component.Name == name {
			return component.Version
		}
	}
	return ""
}

// TestImageRuns starts the image's program in its root file system, as its user, and calls through it.
func TestImageRuns(t *testing.T) {
	t.Parallel()
	image := hostImage(t)
	root := image.root(t)
	version := startChroot(t, root, nil, "version")
	<-version.exited
	if want := image.config.Config.Labels["org.opencontainers.image.version"]; !strings.Contains(version.logText(), want) {
		t.Errorf("version: %s, want %s", version.logText(), want)
	}

	server := testkit.StartDemoProcess(t, 42)
	address, admin := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	gateway := startChroot(t, root, []string{
		"GATEWAY_UPSTREAM_URL=" + server.URL, "GATEWAY_LISTEN=" + address, "GATEWAY_ADMIN_LISTEN=" + admin,
	})
	gateway.awaitReady(t, admin)
	r := testkit.Client{URL: "http://" + address + "/mcp"}.Call(t, "tomtom-routing", lisbonWarsaw)
	if r.Status(t) != "fitted" {
		t.Errorf("status %q", r.Status(t))
	}
	if err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if name, _ := filepath.Rel(root, path); err == nil && entry.Type().IsRegular() && image.files[name] == nil {
			t.Errorf("the program wrote %s", name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// hostImage is the image for this machine; without root's rights its program cannot be confined to its root.
func hostImage(tb testing.TB) builtImage {
	tb.Helper()
	image, ok := builtImages(tb)[runtime.GOARCH]
	if !ok {
		tb.Skipf("no image for %s was built", runtime.GOARCH)
	}
	if os.Getuid() != 0 {
		tb.Skip("needs to be root to change the root of a process")
	}
	return image
}
