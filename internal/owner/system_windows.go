package owner

// enforced tells whether the system enforces file permissions. On Windows, access to
// the user's own folder is controlled in another way.
const enforced = false
