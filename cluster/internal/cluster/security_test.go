package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
)

// certificate writes a certificate of the loopback address, which signs itself, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "fdplan test"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	text, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: text}, "key.pem": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}

// TestSecrets connects with and without what a server asks for.
func TestSecrets(t *testing.T) {
	cert, key := certificate(t)
	const token = "0123456789abcdef0123456789abcdef"
	var seeds, public []string
	for range 2 {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, err1 := pair.Seed()
		known, err2 := pair.PublicKey()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		name := filepath.Join(t.TempDir(), "seed")
		if err := os.WriteFile(name, seed, 0o600); err != nil {
			t.Fatal(err)
		}
		seeds, public = append(seeds, name), append(public, known)
	}
	for _, c := range []struct {
		name string
		s    ServerConfig
		o    Options
		want string // a pattern in the error; "" for a connection
	}{
		{"token", ServerConfig{Cert: cert, Key: key, Token: token}, Options{CA: cert, Token: token}, ""},
		{"no token", ServerConfig{Cert: cert, Key: key, Token: token}, Options{CA: cert}, "Authorization"},
		{"another token", ServerConfig{Cert: cert, Key: key, Token: token}, Options{CA: cert, Token: token + "x"}, "Authorization"},
		{"unknown certificate", ServerConfig{Cert: cert, Key: key, Token: token}, Options{Token: token}, "certificate"},
		{"nkey", ServerConfig{Cert: cert, Key: key, Nkeys: public[:1]}, Options{CA: cert, Seed: seeds[0]}, ""},
		{"another nkey", ServerConfig{Cert: cert, Key: key, Nkeys: public[:1]}, Options{CA: cert, Seed: seeds[1]}, "Authorization"},
		{"certificate of the client", ServerConfig{Cert: cert, Key: key, CA: cert, Token: token}, Options{CA: cert, Cert: cert, Key: key, Token: token}, ""},
		{"no certificate of the client", ServerConfig{Cert: cert, Key: key, CA: cert, Token: token}, Options{CA: cert, Token: token}, "certificate|closed by remote after TLS handshake"},
		{"token without TLS", ServerConfig{Token: token}, Options{Token: token}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Store, c.s.Listen, c.s.MaxStore = t.TempDir(), "127.0.0.1:0", 64<<20
			s, err := Serve(t.Context(), c.s)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			o := testOptions(s.URL())
			o.CA, o.Cert, o.Key, o.Token, o.Seed, o.Patience = c.o.CA, c.o.Cert, c.o.Key, c.o.Token, c.o.Seed, time.Second
			client, err := Connect(t.Context(), o)
			if err == nil {
				client.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !regexp.MustCompile(c.want).MatchString(err.Error())) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
	if IsPublicKey("x") || !IsPublicKey(public[0]) {
		t.Error("IsPublicKey is wrong")
	}
}
