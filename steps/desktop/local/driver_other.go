//go:build !linux

package local

import (
	"context"

	"understudy/steps/desktop/robot"
)

func openDriver(ctx context.Context, a address) (driver, error) {
	return robot.Open(ctx, robot.Options{Env: a.env})
}
