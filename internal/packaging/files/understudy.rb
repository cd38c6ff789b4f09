class Understudy < Formula
  desc "Records, keeps and replays what a person does on a desktop"
  homepage "@SITE@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_intel do
      @darwin/amd64@
    end
    on_arm do
      @darwin/arm64@
    end
  end

  on_linux do
    on_intel do
      @linux/amd64@
    end
    on_arm do
      @linux/arm64@
    end
  end

  def install
    bin.install "understudy"
    bash_completion.install "completions/understudy"
    zsh_completion.install "completions/_understudy"
    fish_completion.install "completions/understudy.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/understudy version")
  end
end
