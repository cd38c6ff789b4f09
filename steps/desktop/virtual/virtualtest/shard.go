package virtualtest

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"
)

// The environment that says which part of many scenarios is played.
const (
	// ShardVariable is i/n: of n parts that of the number i, from 1; empty: all.
	ShardVariable = "UNDERSTUDY_E2E_SHARD"
	// SeedVariable decides which scenario is in which part.
	SeedVariable = "UNDERSTUDY_E2E_SEED"
)

// InShard reports whether a scenario is in the part that is played.
func InShard(t testing.TB, name string) bool {
	t.Helper()
	text := os.Getenv(ShardVariable)
	if text == "" {
		return true
	}
	var i, n uint32
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		t.Fatalf("%s: wanted i/n with i from 1 to n, found %q", ShardVariable, text)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(os.Getenv(SeedVariable) + name))
	return h.Sum32()%n == i-1
}
