package local

import (
	"context"

	"understudy/steps/desktop/x11"
)

func openDriver(ctx context.Context, a address) (driver, error) {
	return x11.Open(ctx, x11.Options{Display: a.display, Authority: a.authority, Dir: a.dir, Env: a.env})
}
