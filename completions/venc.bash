# Completions of venc for bash. Made by "npm run docs": edit src/cli/completion.
# To load them: source <(venc completion bash), or put this file into the folder of bash-completion, under the name venc.

# What can follow a command: sets commands, flags and valued, the flags that take a value.
_venc_context() {
  case $1 in
    '')
      commands='run submit plan explain list show input output progress watch wait logs cancel resubmit rm prune download report daemon worker workers accounts keys credentials backup restore migrate target preset config completion doctor help'
      flags='--data --target --no-color --debug --help -h --version -V'
      valued=' --data --target '
      ;;
    'run')
      commands=''
      flags='--out -o --sample --force --progress --ffmpeg --ffprobe --stall-timeout --output --preset --test --no-test --download-connections --region --grouping --pass-through --credentials --private --no-private --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --strict --no-strict --mock --no-mock --label --url --base-url --filename --device-profile --format --hint --no-hint --video-codec --speed --public --no-public --access-control --secondary-url --headers --rrs --no-rrs --parallel-upload-limit --width --height --size --upscale --no-upscale --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --onepass --no-onepass --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --constant-bitrate --no-constant-bitrate --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --audio-constant-bitrate --no-audio-constant-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --skip-audio --no-skip-audio --skip-video --no-skip-video --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-pre-normalize --no-audio-pre-normalize --audio-post-normalize --no-audio-post-normalize --audio-normalize --no-audio-normalize --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --audio-karaoke-mode --no-audio-karaoke-mode --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --allow-truncated --no-allow-truncated --keyframe-rate --fixed-keyframe-interval --no-fixed-keyframe-interval --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --force-interlace-headers --no-force-interlace-headers --denoise --sharpen --no-sharpen --deblock --no-deblock --autolevel --no-autolevel --watermark --thumbnails --type --source --program --copy-video --no-copy-video --copy-audio --no-copy-audio --skip --min-size --max-size --min-duration --max-duration --segment-seconds --byte-range-segmenting --no-byte-range-segmenting --generate-keyframe-manifest --no-generate-keyframe-manifest --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --allow-skipped-sources --no-allow-skipped-sources --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --skip-captions --no-skip-captions --language --segmented --no-segmented --subtitles --hls --dash --ladder --ts --data --target --no-color --debug --help -h'
      valued=' --out -o --progress --ffmpeg --ffprobe --stall-timeout --output --preset --download-connections --region --grouping --pass-through --credentials --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --label --url --base-url --filename --device-profile --format --video-codec --speed --access-control --secondary-url --headers --parallel-upload-limit --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --keyframe-rate --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --denoise --watermark --thumbnails --type --source --program --skip --min-size --max-size --min-duration --max-duration --segment-seconds --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --language --subtitles --hls --dash --ladder --data --target '
      ;;
    'submit')
      commands=''
      flags='--xml --ndjson --idempotency-key --json --wait --timeout --download --force --stage --progress --output --preset --test --no-test --download-connections --region --grouping --pass-through --priority --requires --notify --credentials --private --no-private --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --strict --no-strict --mock --no-mock --label --url --base-url --filename --device-profile --format --hint --no-hint --video-codec --speed --public --no-public --access-control --secondary-url --headers --rrs --no-rrs --parallel-upload-limit --width --height --size --upscale --no-upscale --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --onepass --no-onepass --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --constant-bitrate --no-constant-bitrate --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --audio-constant-bitrate --no-audio-constant-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --skip-audio --no-skip-audio --skip-video --no-skip-video --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-pre-normalize --no-audio-pre-normalize --audio-post-normalize --no-audio-post-normalize --audio-normalize --no-audio-normalize --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --audio-karaoke-mode --no-audio-karaoke-mode --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --allow-truncated --no-allow-truncated --keyframe-rate --fixed-keyframe-interval --no-fixed-keyframe-interval --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --force-interlace-headers --no-force-interlace-headers --denoise --sharpen --no-sharpen --deblock --no-deblock --autolevel --no-autolevel --watermark --thumbnails --type --source --program --copy-video --no-copy-video --copy-audio --no-copy-audio --skip --min-size --max-size --min-duration --max-duration --segment-seconds --byte-range-segmenting --no-byte-range-segmenting --generate-keyframe-manifest --no-generate-keyframe-manifest --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --allow-skipped-sources --no-allow-skipped-sources --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --skip-captions --no-skip-captions --language --segmented --no-segmented --subtitles --hls --dash --ladder --ts --data --target --no-color --debug --help -h'
      valued=' --idempotency-key --timeout --download --stage --progress --output --preset --download-connections --region --grouping --pass-through --priority --requires --notify --credentials --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --label --url --base-url --filename --device-profile --format --video-codec --speed --access-control --secondary-url --headers --parallel-upload-limit --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --keyframe-rate --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --denoise --watermark --thumbnails --type --source --program --skip --min-size --max-size --min-duration --max-duration --segment-seconds --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --language --subtitles --hls --dash --ladder --data --target '
      ;;
    'plan')
      commands=''
      flags='--out -o --json --ffmpeg --ffprobe --output --preset --test --no-test --download-connections --region --grouping --pass-through --credentials --private --no-private --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --strict --no-strict --mock --no-mock --label --url --base-url --filename --device-profile --format --hint --no-hint --video-codec --speed --public --no-public --access-control --secondary-url --headers --rrs --no-rrs --parallel-upload-limit --width --height --size --upscale --no-upscale --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --onepass --no-onepass --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --constant-bitrate --no-constant-bitrate --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --audio-constant-bitrate --no-audio-constant-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --skip-audio --no-skip-audio --skip-video --no-skip-video --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-pre-normalize --no-audio-pre-normalize --audio-post-normalize --no-audio-post-normalize --audio-normalize --no-audio-normalize --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --audio-karaoke-mode --no-audio-karaoke-mode --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --allow-truncated --no-allow-truncated --keyframe-rate --fixed-keyframe-interval --no-fixed-keyframe-interval --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --force-interlace-headers --no-force-interlace-headers --denoise --sharpen --no-sharpen --deblock --no-deblock --autolevel --no-autolevel --watermark --thumbnails --type --source --program --copy-video --no-copy-video --copy-audio --no-copy-audio --skip --min-size --max-size --min-duration --max-duration --segment-seconds --byte-range-segmenting --no-byte-range-segmenting --generate-keyframe-manifest --no-generate-keyframe-manifest --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --allow-skipped-sources --no-allow-skipped-sources --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --skip-captions --no-skip-captions --language --segmented --no-segmented --subtitles --hls --dash --ladder --ts --data --target --no-color --debug --help -h'
      valued=' --out -o --ffmpeg --ffprobe --output --preset --download-connections --region --grouping --pass-through --credentials --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --label --url --base-url --filename --device-profile --format --video-codec --speed --access-control --secondary-url --headers --parallel-upload-limit --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --keyframe-rate --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --denoise --watermark --thumbnails --type --source --program --skip --min-size --max-size --min-duration --max-duration --segment-seconds --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --language --subtitles --hls --dash --ladder --data --target '
      ;;
    'explain')
      commands=''
      flags='--json --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'list')
      commands=''
      flags='--json --jsonl --fields --page --per-page --state --all --latest --data --target --no-color --debug --help -h'
      valued=' --fields --page --per-page --state --data --target '
      ;;
    'show')
      commands=''
      flags='--json --jsonl --fields --log --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'input')
      commands=''
      flags='--json --fields --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'output')
      commands=''
      flags='--json --fields --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'progress')
      commands=''
      flags='--json --fields --input --output --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'watch')
      commands=''
      flags='--jsonl --progress --data --target --no-color --debug --help -h'
      valued=' --progress --data --target '
      ;;
    'wait')
      commands=''
      flags='--timeout --any --data --target --no-color --debug --help -h'
      valued=' --timeout --data --target '
      ;;
    'logs')
      commands=''
      flags='--follow -f --level --tail --json --jsonl --data --target --no-color --debug --help -h'
      valued=' --level --tail --data --target '
      ;;
    'cancel')
      commands=''
      flags='--state --all --yes -y --data --target --no-color --debug --help -h'
      valued=' --state --data --target '
      ;;
    'resubmit')
      commands=''
      flags='--state --all --yes -y --data --target --no-color --debug --help -h'
      valued=' --state --data --target '
      ;;
    'rm')
      commands=''
      flags='--state --all --yes -y --data --target --no-color --debug --help -h'
      valued=' --state --data --target '
      ;;
    'prune')
      commands=''
      flags='--older-than --state --dry-run --yes -y --data --target --no-color --debug --help -h'
      valued=' --older-than --state --data --target '
      ;;
    'download')
      commands=''
      flags='--out -o --force --progress --data --target --no-color --debug --help -h'
      valued=' --out -o --progress --data --target '
      ;;
    'report')
      commands=''
      flags='--from --to --grouping --csv --json --fields --data --target --no-color --debug --help -h'
      valued=' --from --to --grouping --fields --data --target '
      ;;
    'daemon')
      commands=''
      flags='--host --port --jobs --files-root --allow-private-network --no-allow-private-network --grace --stall-timeout --public-url --hosted --database --min-free --max-outputs --rate-limit --sendmail --sandbox --encode-stall-timeout --max-encode-time --max-input-duration --max-output-size --max-encode-memory --encode-cpu-factor --encode-threads --log-format --keep-days --keep-jobs --rebuild-usage --ffmpeg --ffprobe --data --target --no-color --debug --help -h'
      valued=' --host --port --jobs --files-root --grace --stall-timeout --public-url --hosted --database --min-free --max-outputs --rate-limit --sendmail --sandbox --encode-stall-timeout --max-encode-time --max-input-duration --max-output-size --max-encode-memory --encode-cpu-factor --encode-threads --log-format --keep-days --keep-jobs --ffmpeg --ffprobe --data --target '
      ;;
    'worker')
      commands=''
      flags='--join --jobs --label --name --once --allow-plain-http --grace --allow-private-network --no-allow-private-network --stall-timeout --sandbox --encode-stall-timeout --max-encode-time --max-input-duration --max-output-size --max-encode-memory --encode-cpu-factor --encode-threads --log-format --ffmpeg --ffprobe --data --target --no-color --debug --help -h'
      valued=' --join --jobs --label --name --grace --stall-timeout --sandbox --encode-stall-timeout --max-encode-time --max-input-duration --max-output-size --max-encode-memory --encode-cpu-factor --encode-threads --log-format --ffmpeg --ffprobe --data --target '
      ;;
    'workers')
      commands='drain resume'
      flags='--json --jsonl --fields --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'workers drain')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'workers resume')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'accounts')
      commands='create list show live integration'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'accounts create')
      commands=''
      flags='--database --data --target --no-color --debug --help -h'
      valued=' --database --data --target '
      ;;
    'accounts list')
      commands=''
      flags='--json --jsonl --fields --database --data --target --no-color --debug --help -h'
      valued=' --fields --database --data --target '
      ;;
    'accounts show')
      commands=''
      flags='--json --fields --database --secret --data --target --no-color --debug --help -h'
      valued=' --fields --database --data --target '
      ;;
    'accounts live')
      commands=''
      flags='--database --data --target --no-color --debug --help -h'
      valued=' --database --data --target '
      ;;
    'accounts integration')
      commands=''
      flags='--database --data --target --no-color --debug --help -h'
      valued=' --database --data --target '
      ;;
    'keys')
      commands='create list revoke'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'keys create')
      commands=''
      flags='--database --account --read-only --worker --data --target --no-color --debug --help -h'
      valued=' --database --account --data --target '
      ;;
    'keys list')
      commands=''
      flags='--json --jsonl --fields --database --account --data --target --no-color --debug --help -h'
      valued=' --fields --database --account --data --target '
      ;;
    'keys revoke')
      commands=''
      flags='--database --data --target --no-color --debug --help -h'
      valued=' --database --data --target '
      ;;
    'credentials')
      commands='add list remove'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'credentials add')
      commands=''
      flags='--database --scheme --account --default --data --target --no-color --debug --help -h'
      valued=' --database --scheme --account --data --target '
      ;;
    'credentials list')
      commands=''
      flags='--json --jsonl --fields --database --account --data --target --no-color --debug --help -h'
      valued=' --fields --database --account --data --target '
      ;;
    'credentials remove')
      commands=''
      flags='--database --account --data --target --no-color --debug --help -h'
      valued=' --database --account --data --target '
      ;;
    'backup')
      commands=''
      flags='--database --data --target --no-color --debug --help -h'
      valued=' --database --data --target '
      ;;
    'restore')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'migrate')
      commands=''
      flags='--from --to --database --skip-damaged --progress --json --jsonl --fields --data --target --no-color --debug --help -h'
      valued=' --from --to --database --progress --fields --data --target '
      ;;
    'target')
      commands='add list use remove'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'target add')
      commands=''
      flags='--force --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'target list')
      commands=''
      flags='--json --jsonl --fields --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'target use')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'target remove')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'preset')
      commands='save list show remove'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'preset save')
      commands=''
      flags='--force --output --preset --test --no-test --download-connections --region --grouping --pass-through --priority --requires --notify --credentials --private --no-private --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --strict --no-strict --mock --no-mock --label --url --base-url --filename --device-profile --format --hint --no-hint --video-codec --speed --public --no-public --access-control --secondary-url --headers --rrs --no-rrs --parallel-upload-limit --width --height --size --upscale --no-upscale --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --onepass --no-onepass --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --constant-bitrate --no-constant-bitrate --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --audio-constant-bitrate --no-audio-constant-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --skip-audio --no-skip-audio --skip-video --no-skip-video --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-pre-normalize --no-audio-pre-normalize --audio-post-normalize --no-audio-post-normalize --audio-normalize --no-audio-normalize --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --audio-karaoke-mode --no-audio-karaoke-mode --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --allow-truncated --no-allow-truncated --keyframe-rate --fixed-keyframe-interval --no-fixed-keyframe-interval --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --force-interlace-headers --no-force-interlace-headers --denoise --sharpen --no-sharpen --deblock --no-deblock --autolevel --no-autolevel --watermark --thumbnails --type --source --program --copy-video --no-copy-video --copy-audio --no-copy-audio --skip --min-size --max-size --min-duration --max-duration --segment-seconds --byte-range-segmenting --no-byte-range-segmenting --generate-keyframe-manifest --no-generate-keyframe-manifest --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --allow-skipped-sources --no-allow-skipped-sources --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --skip-captions --no-skip-captions --language --segmented --no-segmented --subtitles --data --target --no-color --debug --help -h'
      valued=' --output --preset --download-connections --region --grouping --pass-through --priority --requires --notify --credentials --expected-md5-checksum --aspera-transfer-policy --transfer-minimum-rate --transfer-maximum-rate --label --url --base-url --filename --device-profile --format --video-codec --speed --access-control --secondary-url --headers --parallel-upload-limit --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --video-codec-profile --h264-profile --video-bit-depth --video-color-range --video-codec-level --h264-level --video-reference-frames --h264-reference-frames --video-bframes --h264-bframes --tuning --crf --max-video-bitrate --audio-codec --audio-bit-depth --audio-quality --audio-bitrate --force-aac-profile --audio-language --select-audio-language --audio-sample-rate --max-audio-sample-rate --audio-channels --audio-gain --audio-bass --audio-treble --audio-highpass --audio-lowpass --audio-compression-ratio --audio-compression-threshold --audio-expansion-ratio --audio-expansion-threshold --audio-loudness-level --audio-fade --audio-fade-in --audio-fade-out --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --keyframe-rate --forced-keyframe-interval --forced-keyframe-rate --prepare-for-segmenting --min-frame-rate --deinterlace-mode --flip --sample-aspect-ratio --color-metadata --denoise --watermark --thumbnails --type --source --program --skip --min-size --max-size --min-duration --max-duration --segment-seconds --keyframe-manifest-filename --max-hls-protocol-version --hls-protocol-version --streaming-delivery-format --streaming-delivery-profile --packaging --playlist-format --streams --alternate-audio --captions --smil-base-url --encryption-method --encryption-key --encryption-key-url --encryption-key-rotation-period --encryption-key-url-prefix --encryption-iv --caption-url --language --subtitles --data --target '
      ;;
    'preset list')
      commands=''
      flags='--json --jsonl --fields --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'preset show')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'preset remove')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config')
      commands='get set list path'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config get')
      commands='ffmpeg ffprobe data target url progress color host port jobs files-root allow-private-network grace stall-timeout public-url hosted database min-free max-outputs rate-limit sendmail sandbox encode-stall-timeout max-encode-time max-input-duration max-output-size max-encode-memory encode-cpu-factor encode-threads log-format keep-days keep-jobs'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set')
      commands='ffmpeg ffprobe data target url progress color host port jobs files-root allow-private-network grace stall-timeout public-url hosted database min-free max-outputs rate-limit sendmail sandbox encode-stall-timeout max-encode-time max-input-duration max-output-size max-encode-memory encode-cpu-factor encode-threads log-format keep-days keep-jobs'
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set ffmpeg')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set ffprobe')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set data')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set target')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set url')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set progress')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set color')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set host')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set port')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set jobs')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set files-root')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set allow-private-network')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set grace')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set stall-timeout')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set public-url')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set hosted')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set database')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set min-free')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set max-outputs')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set rate-limit')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set sendmail')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set sandbox')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set encode-stall-timeout')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set max-encode-time')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set max-input-duration')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set max-output-size')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set max-encode-memory')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set encode-cpu-factor')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set encode-threads')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set log-format')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set keep-days')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config set keep-jobs')
      commands=''
      flags='--unset --data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'config list')
      commands=''
      flags='--json --jsonl --fields --data --target --no-color --debug --help -h'
      valued=' --fields --data --target '
      ;;
    'config path')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'completion')
      commands=''
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    'doctor')
      commands=''
      flags='--json --fields --ffmpeg --ffprobe --data --target --no-color --debug --help -h'
      valued=' --fields --ffmpeg --ffprobe --data --target '
      ;;
    'help')
      commands='run submit plan explain list show input output progress watch wait logs cancel resubmit rm prune download report daemon worker workers accounts keys credentials backup restore migrate target preset config completion doctor settings requests services exit-codes environment recipes'
      flags='--data --target --no-color --debug --help -h'
      valued=' --data --target '
      ;;
    *) return 1 ;;
  esac
}

# Where the value of a flag comes from: sets kind and list.
_venc_value() {
  case "$1 $2" in
    ' --data' | \
      'run --data' | \
      'submit --download' | \
      'submit --data' | \
      'plan --data' | \
      'explain --data' | \
      'list --data' | \
      'show --data' | \
      'input --data' | \
      'output --data' | \
      'progress --data' | \
      'watch --data' | \
      'wait --data' | \
      'logs --data' | \
      'cancel --data' | \
      'resubmit --data' | \
      'rm --data' | \
      'prune --data' | \
      'download --out' | \
      'download -o' | \
      'download --data' | \
      'report --data' | \
      'daemon --files-root' | \
      'daemon --data' | \
      'worker --data' | \
      'workers --data' | \
      'workers drain --data' | \
      'workers resume --data' | \
      'accounts --data' | \
      'accounts create --data' | \
      'accounts list --data' | \
      'accounts show --data' | \
      'accounts live --data' | \
      'accounts integration --data' | \
      'keys --data' | \
      'keys create --data' | \
      'keys list --data' | \
      'keys revoke --data' | \
      'credentials --data' | \
      'credentials add --data' | \
      'credentials list --data' | \
      'credentials remove --data' | \
      'backup --data' | \
      'restore --data' | \
      'migrate --from' | \
      'migrate --to' | \
      'migrate --data' | \
      'target --data' | \
      'target add --data' | \
      'target list --data' | \
      'target use --data' | \
      'target remove --data' | \
      'preset --data' | \
      'preset save --data' | \
      'preset list --data' | \
      'preset show --data' | \
      'preset remove --data' | \
      'config --data' | \
      'config get --data' | \
      'config set --data' | \
      'config set ffmpeg --data' | \
      'config set ffprobe --data' | \
      'config set data --data' | \
      'config set target --data' | \
      'config set url --data' | \
      'config set progress --data' | \
      'config set color --data' | \
      'config set host --data' | \
      'config set port --data' | \
      'config set jobs --data' | \
      'config set files-root --data' | \
      'config set allow-private-network --data' | \
      'config set grace --data' | \
      'config set stall-timeout --data' | \
      'config set public-url --data' | \
      'config set hosted --data' | \
      'config set database --data' | \
      'config set min-free --data' | \
      'config set max-outputs --data' | \
      'config set rate-limit --data' | \
      'config set sendmail --data' | \
      'config set sandbox --data' | \
      'config set encode-stall-timeout --data' | \
      'config set max-encode-time --data' | \
      'config set max-input-duration --data' | \
      'config set max-output-size --data' | \
      'config set max-encode-memory --data' | \
      'config set encode-cpu-factor --data' | \
      'config set encode-threads --data' | \
      'config set log-format --data' | \
      'config set keep-days --data' | \
      'config set keep-jobs --data' | \
      'config list --data' | \
      'config path --data' | \
      'completion --data' | \
      'doctor --data' | \
      'help --data') kind=folders ;;
    ' --target' | \
      'run --target' | \
      'submit --target' | \
      'plan --target' | \
      'explain --target' | \
      'list --target' | \
      'show --target' | \
      'input --target' | \
      'output --target' | \
      'progress --target' | \
      'watch --target' | \
      'wait --target' | \
      'logs --target' | \
      'cancel --target' | \
      'resubmit --target' | \
      'rm --target' | \
      'prune --target' | \
      'download --target' | \
      'report --target' | \
      'daemon --target' | \
      'worker --target' | \
      'workers --target' | \
      'workers drain --target' | \
      'workers resume --target' | \
      'accounts --target' | \
      'accounts create --target' | \
      'accounts list --target' | \
      'accounts show --target' | \
      'accounts live --target' | \
      'accounts integration --target' | \
      'keys --target' | \
      'keys create --target' | \
      'keys list --target' | \
      'keys revoke --target' | \
      'credentials --target' | \
      'credentials add --target' | \
      'credentials list --target' | \
      'credentials remove --target' | \
      'backup --target' | \
      'restore --target' | \
      'migrate --target' | \
      'target --target' | \
      'target add --target' | \
      'target list --target' | \
      'target use --target' | \
      'target remove --target' | \
      'preset --target' | \
      'preset save --target' | \
      'preset list --target' | \
      'preset show --target' | \
      'preset remove --target' | \
      'config --target' | \
      'config get --target' | \
      'config set --target' | \
      'config set ffmpeg --target' | \
      'config set ffprobe --target' | \
      'config set data --target' | \
      'config set target --target' | \
      'config set url --target' | \
      'config set progress --target' | \
      'config set color --target' | \
      'config set host --target' | \
      'config set port --target' | \
      'config set jobs --target' | \
      'config set files-root --target' | \
      'config set allow-private-network --target' | \
      'config set grace --target' | \
      'config set stall-timeout --target' | \
      'config set public-url --target' | \
      'config set hosted --target' | \
      'config set database --target' | \
      'config set min-free --target' | \
      'config set max-outputs --target' | \
      'config set rate-limit --target' | \
      'config set sendmail --target' | \
      'config set sandbox --target' | \
      'config set encode-stall-timeout --target' | \
      'config set max-encode-time --target' | \
      'config set max-input-duration --target' | \
      'config set max-output-size --target' | \
      'config set max-encode-memory --target' | \
      'config set encode-cpu-factor --target' | \
      'config set encode-threads --target' | \
      'config set log-format --target' | \
      'config set keep-days --target' | \
      'config set keep-jobs --target' | \
      'config list --target' | \
      'config path --target' | \
      'completion --target' | \
      'doctor --target' | \
      'help --target') kind=ask list=targets ;;
    'run --out' | \
      'run -o' | \
      'run --ffmpeg' | \
      'run --ffprobe' | \
      'plan --out' | \
      'plan -o' | \
      'plan --ffmpeg' | \
      'plan --ffprobe' | \
      'daemon --ffmpeg' | \
      'daemon --ffprobe' | \
      'worker --ffmpeg' | \
      'worker --ffprobe' | \
      'doctor --ffmpeg' | \
      'doctor --ffprobe') kind=files ;;
    'run --progress' | \
      'submit --progress' | \
      'watch --progress' | \
      'download --progress' | \
      'migrate --progress') kind=words list='auto tty plain json none' ;;
    'run --output' | \
      'submit --output' | \
      'plan --output' | \
      'preset save --output') kind=settings ;;
    'run --preset' | \
      'submit --preset' | \
      'plan --preset' | \
      'preset save --preset') kind=ask list=presets ;;
    'run --grouping' | \
      'submit --grouping' | \
      'plan --grouping' | \
      'report --grouping' | \
      'preset save --grouping') kind=ask list=groupings ;;
    'run --aspera-transfer-policy' | \
      'submit --aspera-transfer-policy' | \
      'plan --aspera-transfer-policy' | \
      'preset save --aspera-transfer-policy') kind=words list='fair low' ;;
    'run --label' | \
      'submit --label' | \
      'plan --label' | \
      'worker --label' | \
      'preset save --label') kind=ask list=labels ;;
    'run --device-profile' | \
      'submit --device-profile' | \
      'plan --device-profile' | \
      'preset save --device-profile') kind=words list='mobile/advanced mobile/baseline mobile/legacy v1/mobile/advanced v1/mobile/baseline v1/mobile/legacy v2/mobile/advanced v2/mobile/baseline v2/mobile/legacy' ;;
    'run --format' | \
      'submit --format' | \
      'plan --format' | \
      'preset save --format') kind=words list='mp4 m4v f4v m4a f4a m4b m4r f4b mov 3gp 3gpp 3g2 3gp2 3gpp2 flv ts mkv webm m4f ogg ogv oga ogx wmv wma aac mp3 ac3 ec3 eac3 wav' ;;
    'run --video-codec' | \
      'submit --video-codec' | \
      'plan --video-codec' | \
      'preset save --video-codec') kind=words list='h264 theora vp8 hevc vp9 av1 mpeg4 wmv' ;;
    'run --aspect-mode' | \
      'submit --aspect-mode' | \
      'plan --aspect-mode' | \
      'preset save --aspect-mode') kind=words list='preserve stretch crop pad' ;;
    'run --video-codec-profile' | \
      'submit --video-codec-profile' | \
      'plan --video-codec-profile' | \
      'preset save --video-codec-profile') kind=words list='baseline main high high10 high422 high444 main10 main12 main422-10 main422-12 main444-8 main444-10 main444-12 0 1 2 3 professional' ;;
    'run --h264-profile' | \
      'submit --h264-profile' | \
      'plan --h264-profile' | \
      'preset save --h264-profile') kind=words list='baseline main high high10 high422 high444' ;;
    'run --video-bit-depth' | \
      'submit --video-bit-depth' | \
      'plan --video-bit-depth' | \
      'preset save --video-bit-depth') kind=words list='8 10 12' ;;
    'run --video-color-range' | \
      'submit --video-color-range' | \
      'plan --video-color-range' | \
      'preset save --video-color-range') kind=words list='limited full' ;;
    'run --video-codec-level' | \
      'run --h264-level' | \
      'submit --video-codec-level' | \
      'submit --h264-level' | \
      'plan --video-codec-level' | \
      'plan --h264-level' | \
      'preset save --video-codec-level' | \
      'preset save --h264-level') kind=words list='1 1b 1.1 1.2 1.3 2 2.1 2.2 3 3.1 3.2 4 4.1 4.2 5 5.1 5.2 6 6.1 6.2' ;;
    'run --tuning' | \
      'submit --tuning' | \
      'plan --tuning' | \
      'preset save --tuning') kind=words list='film animation grain psnr ssim fastdecode zerolatency' ;;
    'run --audio-codec' | \
      'submit --audio-codec' | \
      'plan --audio-codec' | \
      'preset save --audio-codec') kind=words list='aac mp3 vorbis opus ac3 eac3 pcm wma amr' ;;
    'run --audio-bit-depth' | \
      'submit --audio-bit-depth' | \
      'plan --audio-bit-depth' | \
      'preset save --audio-bit-depth') kind=words list='16 24 32' ;;
    'run --force-aac-profile' | \
      'submit --force-aac-profile' | \
      'plan --force-aac-profile' | \
      'preset save --force-aac-profile') kind=words list='aac-lc he-aac he-aac-v2' ;;
    'run --deinterlace' | \
      'submit --deinterlace' | \
      'plan --deinterlace' | \
      'preset save --deinterlace') kind=words list='on off detect' ;;
    'run --rotate' | \
      'submit --rotate' | \
      'plan --rotate' | \
      'preset save --rotate') kind=words list='0 90 180 270' ;;
    'run --deinterlace-mode' | \
      'submit --deinterlace-mode' | \
      'plan --deinterlace-mode' | \
      'preset save --deinterlace-mode') kind=words list='frame-to-frame field-to-frame' ;;
    'run --flip' | \
      'submit --flip' | \
      'plan --flip' | \
      'preset save --flip') kind=words list='horizontal vertical' ;;
    'run --color-metadata' | \
      'submit --color-metadata' | \
      'plan --color-metadata' | \
      'preset save --color-metadata') kind=words list='preserve discard' ;;
    'run --denoise' | \
      'submit --denoise' | \
      'plan --denoise' | \
      'preset save --denoise') kind=words list='weak medium strong strongest' ;;
    'run --type' | \
      'submit --type' | \
      'plan --type' | \
      'preset save --type') kind=words list='standard transfer-only segmented playlist captions' ;;
    'run --streaming-delivery-format' | \
      'submit --streaming-delivery-format' | \
      'plan --streaming-delivery-format' | \
      'preset save --streaming-delivery-format') kind=words list='hls dash' ;;
    'run --streaming-delivery-profile' | \
      'submit --streaming-delivery-profile' | \
      'plan --streaming-delivery-profile' | \
      'preset save --streaming-delivery-profile') kind=words list='live hbbtv_1.5 on_demand' ;;
    'run --packaging' | \
      'submit --packaging' | \
      'plan --packaging' | \
      'preset save --packaging') kind=words list='cmaf' ;;
    'run --playlist-format' | \
      'submit --playlist-format' | \
      'plan --playlist-format' | \
      'preset save --playlist-format') kind=words list='hls m3u m3u8 highwinds dash mpd ism mss' ;;
    'run --encryption-method' | \
      'submit --encryption-method' | \
      'plan --encryption-method' | \
      'preset save --encryption-method') kind=words list='aes-128-cbc aes-128 none aes-128-ctr aes-256-cbc aes-256-ctr cbcs sample-aes' ;;
    'run --subtitles' | \
      'submit --subtitles' | \
      'plan --subtitles' | \
      'preset save --subtitles') kind=words list='keep drop burn sidecar' ;;
    'list --state') kind=words list='pending waiting processing finished failed cancelled' ;;
    'logs --level') kind=words list='info warn error' ;;
    'cancel --state') kind=words list='waiting processing' ;;
    'resubmit --state') kind=words list='pending waiting processing cancelled failed' ;;
    'rm --state' | \
      'prune --state') kind=words list='finished failed cancelled' ;;
    'daemon --sandbox' | \
      'worker --sandbox') kind=words list='auto bwrap none' ;;
    'daemon --log-format' | \
      'worker --log-format') kind=words list='text json' ;;
    'keys create --account' | \
      'keys list --account' | \
      'credentials add --account' | \
      'credentials list --account' | \
      'credentials remove --account') kind=ask list=accounts ;;
  esac
}

# Where an argument of a command comes from, by its position: sets kind and list.
_venc_word() {
  case "$1 $2" in
    'run '* | \
      'submit '* | \
      'plan 0' | \
      'config set ffmpeg 0' | \
      'config set ffprobe 0') kind=files ;;
    'show '* | \
      'watch '* | \
      'wait '* | \
      'logs 0' | \
      'rm '* | \
      'download '*) kind=ask list=jobs ;;
    'input 0') kind=ask list=inputs ;;
    'output 0') kind=ask list=outputs ;;
    'progress 0') kind=ask list=followed ;;
    'cancel '*) kind=ask list=active ;;
    'resubmit '*) kind=ask list=unfinished ;;
    'report 0') kind=words list='all vod live' ;;
    'workers drain 0' | \
      'workers resume 0') kind=ask list=workers ;;
    'accounts show 0' | \
      'accounts live 0' | \
      'accounts integration 0') kind=ask list=accounts ;;
    'keys revoke 0') kind=ask list=keys ;;
    'backup 0' | \
      'restore 0' | \
      'config set data 0' | \
      'config set files-root 0') kind=folders ;;
    'target use 0' | \
      'target remove 0' | \
      'config set target 0') kind=ask list=targets ;;
    'preset show 0' | \
      'preset remove 0') kind=ask list=presets ;;
    'config set progress 0') kind=words list='auto tty plain json none' ;;
    'config set color 0') kind=words list='auto never' ;;
    'config set allow-private-network 0') kind=words list='true false' ;;
    'config set sandbox 0') kind=words list='auto bwrap none' ;;
    'config set log-format 0') kind=words list='text json' ;;
    'completion 0') kind=words list='bash zsh fish' ;;
  esac
}

# Settings for --output, with the allowed values of those that have a list.
_venc_settings='label= url= base_url= filename= device_profile= format= hint= video_codec= speed= public= access_control= notifications= requires= strict= credentials= secondary_url= overwrite= headers= rrs= parallel_upload_limit= width= height= size= upscale= aspect_mode= quality= video_bitrate= bitrate_cap= buffer_size= onepass= video_codec_profile= h264_profile= video_bit_depth= video_color_range= video_codec_level= h264_level= video_reference_frames= h264_reference_frames= video_bframes= h264_bframes= tuning= crf= constant_bitrate= max_video_bitrate= audio_codec= audio_bit_depth= audio_quality= audio_bitrate= audio_constant_bitrate= force_aac_profile= audio_language= select_audio_language= audio_sample_rate= max_audio_sample_rate= audio_channels= skip_audio= skip_video= audio_gain= audio_bass= audio_treble= audio_highpass= audio_lowpass= audio_compression_ratio= audio_compression_threshold= audio_expansion_ratio= audio_expansion_threshold= audio_pre_normalize= audio_post_normalize= audio_normalize= audio_loudness_level= audio_fade= audio_fade_in= audio_fade_out= audio_karaoke_mode= deinterlace= max_frame_rate= frame_rate= decimate= keyframe_interval= rotate= start_clip= clip_length= allow_truncated= keyframe_rate= fixed_keyframe_interval= forced_keyframe_interval= forced_keyframe_rate= prepare_for_segmenting= min_frame_rate= deinterlace_mode= flip= sample_aspect_ratio= color_metadata= force_interlace_headers= denoise= sharpen= deblock= autolevel= watermark= thumbnails= type= source= program= copy_video= copy_audio= skip= min_size= max_size= min_duration= max_duration= segment_seconds= byte_range_segmenting= generate_keyframe_manifest= keyframe_manifest_filename= max_hls_protocol_version= hls_protocol_version= streaming_delivery_format= streaming_delivery_profile= packaging= playlist_format= streams= alternate_audio= captions= smil_base_url= allow_skipped_sources= encryption_method= encryption_key= encryption_key_url= encryption_key_rotation_period= encryption_key_url_prefix= encryption_iv= caption_url= skip_captions= language= segmented= subtitles='
_venc_setting() {
  case $1 in
    device_profile) list='mobile/advanced mobile/baseline mobile/legacy v1/mobile/advanced v1/mobile/baseline v1/mobile/legacy v2/mobile/advanced v2/mobile/baseline v2/mobile/legacy' ;;
    format) list='mp4 m4v f4v m4a f4a m4b m4r f4b mov 3gp 3gpp 3g2 3gp2 3gpp2 flv ts mkv webm m4f ogg ogv oga ogx wmv wma aac mp3 ac3 ec3 eac3 wav' ;;
    hint) list='true false' ;;
    video_codec) list='h264 theora vp8 hevc vp9 av1 mpeg4 wmv' ;;
    public) list='1 0' ;;
    strict) list='true false' ;;
    overwrite) list='true false' ;;
    rrs) list='1 0' ;;
    upscale) list='true false' ;;
    aspect_mode) list='preserve stretch crop pad' ;;
    onepass) list='true false' ;;
    video_codec_profile) list='baseline main high high10 high422 high444 main10 main12 main422-10 main422-12 main444-8 main444-10 main444-12 0 1 2 3 professional' ;;
    h264_profile) list='baseline main high high10 high422 high444' ;;
    video_bit_depth) list='8 10 12' ;;
    video_color_range) list='limited full' ;;
    video_codec_level) list='1 1b 1.1 1.2 1.3 2 2.1 2.2 3 3.1 3.2 4 4.1 4.2 5 5.1 5.2 6 6.1 6.2' ;;
    h264_level) list='1 1b 1.1 1.2 1.3 2 2.1 2.2 3 3.1 3.2 4 4.1 4.2 5 5.1 5.2 6 6.1 6.2' ;;
    tuning) list='film animation grain psnr ssim fastdecode zerolatency' ;;
    constant_bitrate) list='true false' ;;
    audio_codec) list='aac mp3 vorbis opus ac3 eac3 pcm wma amr' ;;
    audio_bit_depth) list='16 24 32' ;;
    audio_constant_bitrate) list='true false' ;;
    force_aac_profile) list='aac-lc he-aac he-aac-v2' ;;
    skip_audio) list='true false' ;;
    skip_video) list='true false' ;;
    audio_pre_normalize) list='true false' ;;
    audio_post_normalize) list='true false' ;;
    audio_normalize) list='true false' ;;
    audio_karaoke_mode) list='true false' ;;
    deinterlace) list='on off detect' ;;
    rotate) list='0 90 180 270' ;;
    allow_truncated) list='true false' ;;
    fixed_keyframe_interval) list='true false' ;;
    deinterlace_mode) list='frame-to-frame field-to-frame' ;;
    flip) list='horizontal vertical' ;;
    color_metadata) list='preserve discard' ;;
    force_interlace_headers) list='true false' ;;
    denoise) list='weak medium strong strongest' ;;
    sharpen) list='true false' ;;
    deblock) list='true false' ;;
    autolevel) list='true false' ;;
    type) list='standard transfer-only segmented playlist captions' ;;
    copy_video) list='true false auto' ;;
    copy_audio) list='true false auto' ;;
    byte_range_segmenting) list='true false' ;;
    generate_keyframe_manifest) list='true false' ;;
    streaming_delivery_format) list='hls dash' ;;
    streaming_delivery_profile) list='live hbbtv_1.5 on_demand' ;;
    packaging) list='cmaf' ;;
    playlist_format) list='hls m3u m3u8 highwinds dash mpd ism mss' ;;
    allow_skipped_sources) list='true false' ;;
    encryption_method) list='aes-128-cbc aes-128 none aes-128-ctr aes-256-cbc aes-256-ctr cbcs sample-aes' ;;
    skip_captions) list='true false' ;;
    segmented) list='true false' ;;
    subtitles) list='keep drop burn sidecar' ;;
  esac
}

# Adds the lines that start with cur to COMPREPLY, without the part that bash treats as earlier words. Names from the
# program are quoted; within quotes, names with special characters are left out.
_venc_keep() {
  local line
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    if [[ -n $quote ]]; then
      [[ $line == *[\'\"\$\`\\\!]* ]] && continue
    elif [[ $kind == ask ]]; then
      printf -v line %q "$line"
    fi
    [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("${line:${#strip}}")
  done
}

_venc() {
  local IFS=$' \t\n' commands='' flags='' valued='' kind='' list='' path='' cur='' strip='' flag='' word raw='' plain='' quote=''
  local -a line=() asking=()
  local -i index count=0
  COMPREPLY=()
  # After > and <, complete files.
  [[ ${COMP_WORDS[COMP_CWORD-1]} == [\<\>]* ]] && return
  # Bash also splits words at = and :, so join them again.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ ${#line[@]} -gt 0 && ( $word =~ ^[=:]+$ || $raw =~ ^[=:]+$ ) ]]; then
      line[${#line[@]}-1]+=$word
    else
      line+=("$word")
    fi
    raw=$word
  done
  [[ $raw =~ ^[=:]+$ ]] && raw=''
  cur=${line[${#line[@]}-1]}
  strip=${cur%"$raw"}
  _venc_context ''
  for ((index = 0; index < ${#line[@]} - 1; index++)); do
    word=${line[index]}
    case $plain$word in
      --) plain=word: ;;
      --target=* | --data=* | --input) asking+=("$word") ;;
      --database=*) asking+=(--database) ;;
      -*)
        if [[ $valued == *" $word "* ]]; then
          index+=1
          [[ index -eq ${#line[@]}-1 ]] && flag=$word
          [[ $word == --target || $word == --data ]] && asking+=("$word=${line[index]}")
          [[ $word == --database ]] && asking+=("$word")
        elif [[ $word == --output ]]; then
          asking+=("$word")
        fi
        ;;
      *)
        if [[ count -eq 0 ]] && _venc_context "${path:+$path }$word"; then
          path="${path:+$path }$word"
        else
          count+=1
        fi
        ;;
    esac
  done
  # Do not fall back to file names.
  compopt +o default 2>/dev/null
  if [[ -z $flag$plain && $cur == --*=* ]]; then
    flag=${cur%%=*}
    strip=${strip#"$flag="}
    cur=${cur#*=}
  fi
  # Bash itself closes an open quote.
  [[ $cur == [\"\']* ]] && quote=${cur:0:1} cur=${cur:1}
  if [[ -n $flag ]]; then
    _venc_value "$path" "$flag"
  elif [[ -z $plain && $cur == -* ]]; then
    kind=words list=$flags
  elif [[ -n $commands && count -eq 0 ]]; then
    kind=words list=$commands
  else
    _venc_word "$path" "$count"
  fi
  case $kind in
    words) _venc_keep < <(printf '%s\n' $list) ;;
    ask)
      # Keep the order, if bash can: the newest job is the most likely choice.
      compopt -o nosort 2>/dev/null
      # An alias is not visible in this function, and bash before 4.4 treats an empty array as unset.
      local program=${1/#\~/$HOME}
      type -P "$program" >/dev/null || program=venc
      _venc_keep < <("$program" complete-words "$list" ${asking[@]+"${asking[@]}"} 2>/dev/null </dev/null)
      ;;
    settings)
      local before='' setting=${cur##*,}
      [[ $cur == *,* ]] && before=${cur%,*},
      list=$_venc_settings
      if [[ $setting == *=* ]]; then
        list=''
        _venc_setting "${setting%%=*}"
        before+=${setting%%=*}=
      else
        compopt -o nospace 2>/dev/null
      fi
      [[ -n $list ]] && _venc_keep < <(printf "%s\n" $list | while IFS= read -r word; do printf '%s%s\n' "$before" "$word"; done)
      ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    files) compopt -o default 2>/dev/null ;;
  esac
}

complete -o default -F _venc venc
