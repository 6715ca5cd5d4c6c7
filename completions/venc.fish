# Completions of venc for fish. Made by "npm run docs": edit src/cli/completion.
# To load them: venc completion fish | source, or put this file into ~/.config/fish/completions.

# Prints the flags of a command that take a value; fails if there is no such command.
function __venc_valued
    switch "$argv"
        case ''
            printf '%s\n' --data --target
        case 'run'
            printf '%s\n' --out -o --progress --ffmpeg --ffprobe --stall-timeout --output --preset --download-connections --region --grouping --pass-through --label --url --base-url --filename --video-codec --speed --access-control --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --audio-codec --audio-quality --audio-bitrate --audio-sample-rate --audio-channels --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --watermark --thumbnails --data --target
        case 'submit'
            printf '%s\n' --idempotency-key --timeout --download --stage --progress --output --preset --download-connections --region --grouping --pass-through --notify --label --url --base-url --filename --video-codec --speed --access-control --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --audio-codec --audio-quality --audio-bitrate --audio-sample-rate --audio-channels --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --watermark --thumbnails --data --target
        case 'plan'
            printf '%s\n' --out -o --ffmpeg --ffprobe --output --preset --download-connections --region --grouping --pass-through --label --url --base-url --filename --video-codec --speed --access-control --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --audio-codec --audio-quality --audio-bitrate --audio-sample-rate --audio-channels --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --watermark --thumbnails --data --target
        case 'explain'
            printf '%s\n' --data --target
        case 'list'
            printf '%s\n' --fields --page --per-page --state --data --target
        case 'show'
            printf '%s\n' --fields --data --target
        case 'input'
            printf '%s\n' --fields --data --target
        case 'output'
            printf '%s\n' --fields --data --target
        case 'progress'
            printf '%s\n' --fields --data --target
        case 'watch'
            printf '%s\n' --progress --data --target
        case 'wait'
            printf '%s\n' --timeout --data --target
        case 'cancel'
            printf '%s\n' --state --data --target
        case 'resubmit'
            printf '%s\n' --state --data --target
        case 'rm'
            printf '%s\n' --state --data --target
        case 'prune'
            printf '%s\n' --older-than --state --data --target
        case 'download'
            printf '%s\n' --out -o --progress --data --target
        case 'report'
            printf '%s\n' --from --to --grouping --fields --data --target
        case 'daemon'
            printf '%s\n' --host --port --jobs --files-root --grace --stall-timeout --public-url --min-free --max-outputs --rate-limit --log-format --ffmpeg --ffprobe --data --target
        case 'accounts'
            printf '%s\n' --data --target
        case 'accounts create'
            printf '%s\n' --data --target
        case 'accounts list'
            printf '%s\n' --fields --data --target
        case 'accounts show'
            printf '%s\n' --fields --data --target
        case 'accounts live'
            printf '%s\n' --data --target
        case 'accounts integration'
            printf '%s\n' --data --target
        case 'keys'
            printf '%s\n' --data --target
        case 'keys create'
            printf '%s\n' --account --data --target
        case 'keys list'
            printf '%s\n' --fields --account --data --target
        case 'keys revoke'
            printf '%s\n' --data --target
        case 'target'
            printf '%s\n' --data --target
        case 'target add'
            printf '%s\n' --data --target
        case 'target list'
            printf '%s\n' --fields --data --target
        case 'target use'
            printf '%s\n' --data --target
        case 'target remove'
            printf '%s\n' --data --target
        case 'preset'
            printf '%s\n' --data --target
        case 'preset save'
            printf '%s\n' --output --preset --download-connections --region --grouping --pass-through --notify --label --url --base-url --filename --video-codec --speed --access-control --width --height --size --aspect-mode --quality --video-bitrate --bitrate-cap --buffer-size --audio-codec --audio-quality --audio-bitrate --audio-sample-rate --audio-channels --deinterlace --max-frame-rate --frame-rate --decimate --keyframe-interval --rotate --start-clip --clip-length --watermark --thumbnails --data --target
        case 'preset list'
            printf '%s\n' --fields --data --target
        case 'preset show'
            printf '%s\n' --data --target
        case 'preset remove'
            printf '%s\n' --data --target
        case 'config'
            printf '%s\n' --data --target
        case 'config get'
            printf '%s\n' --data --target
        case 'config set'
            printf '%s\n' --data --target
        case 'config set ffmpeg'
            printf '%s\n' --data --target
        case 'config set ffprobe'
            printf '%s\n' --data --target
        case 'config set data'
            printf '%s\n' --data --target
        case 'config set target'
            printf '%s\n' --data --target
        case 'config set url'
            printf '%s\n' --data --target
        case 'config set progress'
            printf '%s\n' --data --target
        case 'config set color'
            printf '%s\n' --data --target
        case 'config set host'
            printf '%s\n' --data --target
        case 'config set port'
            printf '%s\n' --data --target
        case 'config set jobs'
            printf '%s\n' --data --target
        case 'config set files-root'
            printf '%s\n' --data --target
        case 'config set allow-private-network'
            printf '%s\n' --data --target
        case 'config set grace'
            printf '%s\n' --data --target
        case 'config set stall-timeout'
            printf '%s\n' --data --target
        case 'config set public-url'
            printf '%s\n' --data --target
        case 'config set min-free'
            printf '%s\n' --data --target
        case 'config set max-outputs'
            printf '%s\n' --data --target
        case 'config set rate-limit'
            printf '%s\n' --data --target
        case 'config set log-format'
            printf '%s\n' --data --target
        case 'config list'
            printf '%s\n' --fields --data --target
        case 'config path'
            printf '%s\n' --data --target
        case 'completion'
            printf '%s\n' --data --target
        case 'doctor'
            printf '%s\n' --fields --ffmpeg --ffprobe --data --target
        case 'help'
            printf '%s\n' --data --target
        case '*'
            return 1
    end
end

# Settings for --output, as name=value,name=value, with the allowed values of those that have a list.
function __venc_settings
    set -l parts (string split , -- (commandline -ct | string replace -r '^(--output=)?["\']?' ''))
    set -l before (string join , -- $parts[1..-2])
    test -n "$before"; and set before $before,
    set -l setting (string split -m 1 = -- $parts[-1])
    if set -q setting[2]
        switch $setting[1]
            case video_codec
                printf "$before$setting[1]=%s\t\n" h264 theora vp6 vp8 hevc vp9 av1
            case public
                printf "$before$setting[1]=%s\t\n" 1 0
            case strict
                printf "$before$setting[1]=%s\t\n" true false
            case upscale
                printf "$before$setting[1]=%s\t\n" true false
            case aspect_mode
                printf "$before$setting[1]=%s\t\n" preserve stretch crop pad
            case onepass
                printf "$before$setting[1]=%s\t\n" true false
            case audio_codec
                printf "$before$setting[1]=%s\t\n" aac mp3 vorbis opus
            case skip_audio
                printf "$before$setting[1]=%s\t\n" true false
            case skip_video
                printf "$before$setting[1]=%s\t\n" true false
            case deinterlace
                printf "$before$setting[1]=%s\t\n" on off detect
            case rotate
                printf "$before$setting[1]=%s\t\n" 0 90 180 270
        end
    else
        printf "$before%s=\t\n" label url base_url filename video_codec speed public access_control notifications strict width height size upscale aspect_mode quality video_bitrate bitrate_cap buffer_size onepass audio_codec audio_quality audio_bitrate audio_sample_rate audio_channels skip_audio skip_video deinterlace max_frame_rate frame_rate decimate keyframe_interval rotate start_clip clip_length watermark thumbnails segment_seconds segment_size segment_image_url segment_video_snapshots streaming_delivery_format streaming_delivery_profile byte_range_segmenting generate_keyframe_manifest keyframe_manifest_filename max_hls_protocol_version hls_protocol_version hls_optimized_ts packaging playlist_format streams alternate_audio captions allow_skipped_sources smil_base_url encryption_method encryption_key encryption_key_url encryption_key_rotation_period encryption_key_url_prefix encryption_iv encryption_password caption_url skip_captions subtitles segmented language generate_md5_checksum package_format package_filename generate_frame_index frame_index_filename generate_mp4_atom_map mp4_atom_map_filename mtu_size azure_sas cue_points live_stream instant_play rtmp_keep_alive dynamic_profile_rendition cae_options cae_rendition lossless_video video_codec_preset format_preset alpha_transparency hdr_format preserve_hdr_metadata master_display max_content_light_level max_frame_average_light_level dolby_vision_rpu_url drm drm_method forensic_watermark forensic_watermark_stub_mode input_audio_service_types select_audio_service_type input_audio_channels output_audio_channels max_aac_profile caption_from_audio_transcription include_transcription_json transcription_filename transcription_vocabulary_name transcription_vocabulary_filter vp6_temporal_down_watermark vp6_temporal_resampling vp6_undershoot_pct vp6_profile vp6_compression_mode vp6_2pass_min_section vp6_2pass_max_section vp6_stream_prebuffer vp6_stream_max_buffer vp6_deinterlace_mode vp6_denoise_level ts_muxrate ts_pmt_pid ts_video_pid ts_audio_pid ts_pcr_pid ts_cbr decryption_method decryption_key decryption_key_url decryption_password
    end
end

# Whether the cursor is behind a command, and at the position of one of its arguments: __venc_at 'accounts show' 0.
function __venc_at
    set -l path
    set -l count 0
    set -l skips 0
    set -l plain 0
    set -l valued (__venc_valued '')
    for word in (commandline -opc)[2..-1]
        if test $skips = 1
            set skips 0
            continue
        end
        if test $plain = 0 -a "$word" = --
            set plain 1
            continue
        end
        if test $plain = 0; and string match -q -- '-*' $word
            contains -- $word $valued; and set skips 1
            continue
        end
        if test $count = 0; and __venc_valued $path $word >/dev/null
            set path $path $word
            set valued (__venc_valued $path)
        else
            set count (math $count + 1)
        end
    end
    test "$path" = $argv[1]; or return 1
    set -q argv[2]; or return 0
    test $count = $argv[2]; and return 0
    test "$argv[3]" = more; and test $count -gt $argv[2]
end

# Asks the program for names that only it can read.
function __venc_ask
    set -l words (commandline -opc)
    set -l asking
    for index in (seq 2 (count $words))
        switch $words[$index]
            case '--target=*' '--data=*' --input --output
                set asking $asking $words[$index]
            case --target --data
                set -q words[(math $index + 1)]; and set asking $asking $words[$index]=$words[(math $index + 1)]
        end
    end
    # The command as it was typed: fish does not expand a tilde in it, and an abbreviation is not a program.
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    type -q $program; or set program venc
    $program complete-words $argv[1] $asking 2>/dev/null </dev/null
end

complete -c venc -f

complete -c venc -n '__venc_at "" 0' -a run -d 'encode files on this machine, without a daemon or a service'
complete -c venc -n '__venc_at "" 0' -a submit -d 'submit jobs: URLs, local files or requests'
complete -c venc -n '__venc_at "" 0' -a plan -d 'print the ffmpeg command lines without running them'
complete -c venc -n '__venc_at "" 0' -a explain -d 'explain a setting: its value, default, rules and an example'
complete -c venc -n '__venc_at "" 0' -a list -d 'list jobs, newest first'
complete -c venc -n '__venc_at "" 0' -a show -d 'show a job with its input and outputs'
complete -c venc -n '__venc_at "" 0' -a input -d 'show an input'
complete -c venc -n '__venc_at "" 0' -a output -d 'show an output'
complete -c venc -n '__venc_at "" 0' -a progress -d 'show the progress of a job, an input or an output'
complete -c venc -n '__venc_at "" 0' -a watch -d 'watch jobs until they end'
complete -c venc -n '__venc_at "" 0' -a wait -d 'wait until jobs have ended, without output'
complete -c venc -n '__venc_at "" 0' -a cancel -d 'cancel jobs'
complete -c venc -n '__venc_at "" 0' -a resubmit -d 'resubmit jobs that did not finish'
complete -c venc -n '__venc_at "" 0' -a rm -d 'remove jobs that have ended, with their hosted files'
complete -c venc -n '__venc_at "" 0' -a prune -d 'remove jobs that ended some time ago, with their hosted files'
complete -c venc -n '__venc_at "" 0' -a download -d 'download the outputs that the service hosts'
complete -c venc -n '__venc_at "" 0' -a report -d 'show the usage by day and grouping'
complete -c venc -n '__venc_at "" 0' -a daemon -d 'run the local encoding service'
complete -c venc -n '__venc_at "" 0' -a accounts -d 'manage the accounts of the local daemon'
complete -c venc -n '__venc_at "" 0' -a keys -d 'manage the API keys of the local daemon'
complete -c venc -n '__venc_at "" 0' -a target -d 'name services and select one'
complete -c venc -n '__venc_at "" 0' -a preset -d 'save settings under a name, for --preset'
complete -c venc -n '__venc_at "" 0' -a config -d 'configure defaults of flags'
complete -c venc -n '__venc_at "" 0' -a completion -d 'print the completions for bash, zsh or fish'
complete -c venc -n '__venc_at "" 0' -a doctor -d 'check the installation and whether the service answers'
complete -c venc -n '__venc_at "" 0' -a help -d 'show the help of a command or about a topic'
complete -c venc -n '__venc_at ""' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at ""' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at ""' -l no-color -d 'no colours'
complete -c venc -n '__venc_at ""' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at ""' -l help -s h -d 'show this help'
complete -c venc -n '__venc_at ""' -l version -s V -d 'print the version'

complete -c venc -n '__venc_at "run" 0 more' -F
complete -c venc -n '__venc_at "run"' -l out -s o -r -F -d 'the file of an output, one -o for each --output, or a folder for all'
complete -c venc -n '__venc_at "run"' -l sample -d 'encode a test video with audio to venc-sample.mp4'
complete -c venc -n '__venc_at "run"' -l force -d 'overwrite existing files'
complete -c venc -n '__venc_at "run"' -l progress -x -a 'auto\\t tty\\t plain\\t json\\t none\\t' -d 'show progress as auto, tty, plain, json or none'
complete -c venc -n '__venc_at "run"' -l ffmpeg -r -F -d 'the ffmpeg to use'
complete -c venc -n '__venc_at "run"' -l ffprobe -r -F -d 'the ffprobe to use'
complete -c venc -n '__venc_at "run"' -l stall-timeout -x -d 'cancel a transfer after this time without data'
complete -c venc -n '__venc_at "run"' -l output -x -a '(__venc_settings)' -d 'one output: name=value,name=value, or {json}, or @FILE with either; r...'
complete -c venc -n '__venc_at "run"' -l preset -x -k -a '(__venc_ask presets)' -d 'start from the settings saved by venc preset save'
complete -c venc -n '__venc_at "run"' -l test -d 'test mode: encode the first 5 seconds only'
complete -c venc -n '__venc_at "run"' -l no-test -d 'the opposite of --test'
complete -c venc -n '__venc_at "run"' -l download-connections -x -d 'number of connections that download the input, if its server allows s...'
complete -c venc -n '__venc_at "run"' -l region -x -d 'region to encode in: us, europe or asia; best effort, never an error'
complete -c venc -n '__venc_at "run"' -l grouping -x -k -a '(__venc_ask groupings)' -d 'report grouping of the job'
complete -c venc -n '__venc_at "run"' -l pass-through -x -d 'a text that is stored with the job and returned with it'
complete -c venc -n '__venc_at "run"' -l strict -d 'reject unknown names, contradictions and values that would be correct...'
complete -c venc -n '__venc_at "run"' -l no-strict -d 'the opposite of --strict'
complete -c venc -n '__venc_at "run"' -l mock -d 'only validate the request; nothing is queued'
complete -c venc -n '__venc_at "run"' -l no-mock -d 'the opposite of --mock'
complete -c venc -n '__venc_at "run"' -l label -x -k -a '(__venc_ask labels)' -d 'a name to distinguish the outputs; unique within a job'
complete -c venc -n '__venc_at "run"' -l url -x -d 'destination of the file; overrides base_url and filename'
complete -c venc -n '__venc_at "run"' -l base-url -x -d 'destination folder; the file is named filename, or gets a random name'
complete -c venc -n '__venc_at "run"' -l filename -x -d 'name of the file; its extension selects the container'
complete -c venc -n '__venc_at "run"' -l video-codec -x -a 'h264\\t theora\\t vp6\\t vp8\\t hevc\\t vp9\\t av1\\t' -d 'video codec'
complete -c venc -n '__venc_at "run"' -l speed -x -d 'encoding speed; slower gives better compression, and only h264 has al...'
complete -c venc -n '__venc_at "run"' -l public -d 'let everyone read the delivered file, if the destination supports acc...'
complete -c venc -n '__venc_at "run"' -l no-public -d 'the opposite of --public'
complete -c venc -n '__venc_at "run"' -l access-control -x -d 'grants on the delivered file, if the destination supports access control'
complete -c venc -n '__venc_at "run"' -l width -x -d 'width of the video'
complete -c venc -n '__venc_at "run"' -l height -x -d 'height of the video'
complete -c venc -n '__venc_at "run"' -l size -x -d 'width and height together, as WIDTHxHEIGHT'
complete -c venc -n '__venc_at "run"' -l upscale -d 'enlarge an input that is smaller than the output'
complete -c venc -n '__venc_at "run"' -l no-upscale -d 'the opposite of --upscale'
complete -c venc -n '__venc_at "run"' -l aspect-mode -x -a 'preserve\\t stretch\\t crop\\t pad\\t' -d 'what to do if the input has another aspect ratio than width and height'
complete -c venc -n '__venc_at "run"' -l quality -x -d 'video quality; higher values need more bits'
complete -c venc -n '__venc_at "run"' -l video-bitrate -x -d 'video bitrate: a predictable size instead of a predictable quality; o...'
complete -c venc -n '__venc_at "run"' -l bitrate-cap -x -d 'maximum bitrate at any moment'
complete -c venc -n '__venc_at "run"' -l buffer-size -x -d 'size of the decoder buffer that bitrate_cap applies to'
complete -c venc -n '__venc_at "run"' -l onepass -d 'encode in one pass where video_bitrate, or the quality of vp9, needs...'
complete -c venc -n '__venc_at "run"' -l no-onepass -d 'the opposite of --onepass'
complete -c venc -n '__venc_at "run"' -l audio-codec -x -a 'aac\\t mp3\\t vorbis\\t opus\\t' -d 'audio codec'
complete -c venc -n '__venc_at "run"' -l audio-quality -x -d 'audio quality; overrides audio_bitrate'
complete -c venc -n '__venc_at "run"' -l audio-bitrate -x -d 'audio bitrate of all channels together; below 160 per channel'
complete -c venc -n '__venc_at "run"' -l audio-sample-rate -x -d 'audio samples per second'
complete -c venc -n '__venc_at "run"' -l audio-channels -x -d 'number of audio channels'
complete -c venc -n '__venc_at "run"' -l skip-audio -d 'omit the audio'
complete -c venc -n '__venc_at "run"' -l no-skip-audio -d 'the opposite of --skip-audio'
complete -c venc -n '__venc_at "run"' -l skip-video -d 'omit the video'
complete -c venc -n '__venc_at "run"' -l no-skip-video -d 'the opposite of --skip-video'
complete -c venc -n '__venc_at "run"' -l deinterlace -x -a 'on\\t off\\t detect\\t' -d 'convert fields to whole frames; detect uses the field order that the...'
complete -c venc -n '__venc_at "run"' -l max-frame-rate -x -d 'maximum frame rate; higher rates are reduced to it'
complete -c venc -n '__venc_at "run"' -l frame-rate -x -d 'frame rate'
complete -c venc -n '__venc_at "run"' -l decimate -x -d 'divide the frame rate of the input by this'
complete -c venc -n '__venc_at "run"' -l keyframe-interval -x -d 'maximum distance between two keyframes'
complete -c venc -n '__venc_at "run"' -l rotate -x -a '0\\t 90\\t 180\\t 270\\t' -d 'degrees to rotate the video clockwise; 0 keeps the stored orientation'
complete -c venc -n '__venc_at "run"' -l start-clip -x -d 'start position, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "run"' -l clip-length -x -d 'length to encode, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "run"' -l watermark -x -d 'images overlaid on the video'
complete -c venc -n '__venc_at "run"' -l thumbnails -x -d 'PNG images taken from the output, delivered next to it'
complete -c venc -n '__venc_at "run"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "run"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "run"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "run"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "run"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "submit" 0 more' -F
complete -c venc -n '__venc_at "submit"' -l xml -d 'parse the request as XML'
complete -c venc -n '__venc_at "submit"' -l ndjson -d 'with -: one JSON request per line, a job for each'
complete -c venc -n '__venc_at "submit"' -l idempotency-key -x -d 'do not create a second job with this key within 24 hours; for several...'
complete -c venc -n '__venc_at "submit"' -l json -d 'print whole responses, one per line'
complete -c venc -n '__venc_at "submit"' -l wait -d 'wait until the jobs end; sets the exit code by their states'
complete -c venc -n '__venc_at "submit"' -l timeout -x -d 'with --wait: give up after this time, such as 90s, 5m or 2h'
complete -c venc -n '__venc_at "submit"' -l download -x -a '(__fish_complete_directories (commandline -ct))' -d 'with --wait: download the outputs to this folder and print their paths'
complete -c venc -n '__venc_at "submit"' -l force -d 'with --download: overwrite existing files'
complete -c venc -n '__venc_at "submit"' -l stage -x -d 'upload a local file to this folder (s3:, ftp:, sftp: ...) instead of...'
complete -c venc -n '__venc_at "submit"' -l progress -x -a 'auto\\t tty\\t plain\\t json\\t none\\t' -d 'show progress as auto, tty, plain, json or none'
complete -c venc -n '__venc_at "submit"' -l output -x -a '(__venc_settings)' -d 'one output: name=value,name=value, or {json}, or @FILE with either; r...'
complete -c venc -n '__venc_at "submit"' -l preset -x -k -a '(__venc_ask presets)' -d 'start from the settings saved by venc preset save'
complete -c venc -n '__venc_at "submit"' -l test -d 'test mode: encode the first 5 seconds only'
complete -c venc -n '__venc_at "submit"' -l no-test -d 'the opposite of --test'
complete -c venc -n '__venc_at "submit"' -l download-connections -x -d 'number of connections that download the input, if its server allows s...'
complete -c venc -n '__venc_at "submit"' -l region -x -d 'region to encode in: us, europe or asia; best effort, never an error'
complete -c venc -n '__venc_at "submit"' -l grouping -x -k -a '(__venc_ask groupings)' -d 'report grouping of the job'
complete -c venc -n '__venc_at "submit"' -l pass-through -x -d 'a text that is stored with the job and returned with it'
complete -c venc -n '__venc_at "submit"' -l notify -x -d 'a URL that is notified when the job has ended'
complete -c venc -n '__venc_at "submit"' -l strict -d 'reject unknown names, contradictions and values that would be correct...'
complete -c venc -n '__venc_at "submit"' -l no-strict -d 'the opposite of --strict'
complete -c venc -n '__venc_at "submit"' -l mock -d 'only validate the request; nothing is queued'
complete -c venc -n '__venc_at "submit"' -l no-mock -d 'the opposite of --mock'
complete -c venc -n '__venc_at "submit"' -l label -x -k -a '(__venc_ask labels)' -d 'a name to distinguish the outputs; unique within a job'
complete -c venc -n '__venc_at "submit"' -l url -x -d 'destination of the file; overrides base_url and filename'
complete -c venc -n '__venc_at "submit"' -l base-url -x -d 'destination folder; the file is named filename, or gets a random name'
complete -c venc -n '__venc_at "submit"' -l filename -x -d 'name of the file; its extension selects the container'
complete -c venc -n '__venc_at "submit"' -l video-codec -x -a 'h264\\t theora\\t vp6\\t vp8\\t hevc\\t vp9\\t av1\\t' -d 'video codec'
complete -c venc -n '__venc_at "submit"' -l speed -x -d 'encoding speed; slower gives better compression, and only h264 has al...'
complete -c venc -n '__venc_at "submit"' -l public -d 'let everyone read the delivered file, if the destination supports acc...'
complete -c venc -n '__venc_at "submit"' -l no-public -d 'the opposite of --public'
complete -c venc -n '__venc_at "submit"' -l access-control -x -d 'grants on the delivered file, if the destination supports access control'
complete -c venc -n '__venc_at "submit"' -l width -x -d 'width of the video'
complete -c venc -n '__venc_at "submit"' -l height -x -d 'height of the video'
complete -c venc -n '__venc_at "submit"' -l size -x -d 'width and height together, as WIDTHxHEIGHT'
complete -c venc -n '__venc_at "submit"' -l upscale -d 'enlarge an input that is smaller than the output'
complete -c venc -n '__venc_at "submit"' -l no-upscale -d 'the opposite of --upscale'
complete -c venc -n '__venc_at "submit"' -l aspect-mode -x -a 'preserve\\t stretch\\t crop\\t pad\\t' -d 'what to do if the input has another aspect ratio than width and height'
complete -c venc -n '__venc_at "submit"' -l quality -x -d 'video quality; higher values need more bits'
complete -c venc -n '__venc_at "submit"' -l video-bitrate -x -d 'video bitrate: a predictable size instead of a predictable quality; o...'
complete -c venc -n '__venc_at "submit"' -l bitrate-cap -x -d 'maximum bitrate at any moment'
complete -c venc -n '__venc_at "submit"' -l buffer-size -x -d 'size of the decoder buffer that bitrate_cap applies to'
complete -c venc -n '__venc_at "submit"' -l onepass -d 'encode in one pass where video_bitrate, or the quality of vp9, needs...'
complete -c venc -n '__venc_at "submit"' -l no-onepass -d 'the opposite of --onepass'
complete -c venc -n '__venc_at "submit"' -l audio-codec -x -a 'aac\\t mp3\\t vorbis\\t opus\\t' -d 'audio codec'
complete -c venc -n '__venc_at "submit"' -l audio-quality -x -d 'audio quality; overrides audio_bitrate'
complete -c venc -n '__venc_at "submit"' -l audio-bitrate -x -d 'audio bitrate of all channels together; below 160 per channel'
complete -c venc -n '__venc_at "submit"' -l audio-sample-rate -x -d 'audio samples per second'
complete -c venc -n '__venc_at "submit"' -l audio-channels -x -d 'number of audio channels'
complete -c venc -n '__venc_at "submit"' -l skip-audio -d 'omit the audio'
complete -c venc -n '__venc_at "submit"' -l no-skip-audio -d 'the opposite of --skip-audio'
complete -c venc -n '__venc_at "submit"' -l skip-video -d 'omit the video'
complete -c venc -n '__venc_at "submit"' -l no-skip-video -d 'the opposite of --skip-video'
complete -c venc -n '__venc_at "submit"' -l deinterlace -x -a 'on\\t off\\t detect\\t' -d 'convert fields to whole frames; detect uses the field order that the...'
complete -c venc -n '__venc_at "submit"' -l max-frame-rate -x -d 'maximum frame rate; higher rates are reduced to it'
complete -c venc -n '__venc_at "submit"' -l frame-rate -x -d 'frame rate'
complete -c venc -n '__venc_at "submit"' -l decimate -x -d 'divide the frame rate of the input by this'
complete -c venc -n '__venc_at "submit"' -l keyframe-interval -x -d 'maximum distance between two keyframes'
complete -c venc -n '__venc_at "submit"' -l rotate -x -a '0\\t 90\\t 180\\t 270\\t' -d 'degrees to rotate the video clockwise; 0 keeps the stored orientation'
complete -c venc -n '__venc_at "submit"' -l start-clip -x -d 'start position, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "submit"' -l clip-length -x -d 'length to encode, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "submit"' -l watermark -x -d 'images overlaid on the video'
complete -c venc -n '__venc_at "submit"' -l thumbnails -x -d 'PNG images taken from the output, delivered next to it'
complete -c venc -n '__venc_at "submit"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "submit"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "submit"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "submit"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "submit"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "plan" 0' -F
complete -c venc -n '__venc_at "plan"' -l out -s o -r -F -d 'the file of an output, one -o for each --output, or a folder for all'
complete -c venc -n '__venc_at "plan"' -l json -d 'print a JSON array with an object for each command line'
complete -c venc -n '__venc_at "plan"' -l ffmpeg -r -F -d 'the ffmpeg to plan for'
complete -c venc -n '__venc_at "plan"' -l ffprobe -r -F -d 'the ffprobe to read the input with'
complete -c venc -n '__venc_at "plan"' -l output -x -a '(__venc_settings)' -d 'one output: name=value,name=value, or {json}, or @FILE with either; r...'
complete -c venc -n '__venc_at "plan"' -l preset -x -k -a '(__venc_ask presets)' -d 'start from the settings saved by venc preset save'
complete -c venc -n '__venc_at "plan"' -l test -d 'test mode: encode the first 5 seconds only'
complete -c venc -n '__venc_at "plan"' -l no-test -d 'the opposite of --test'
complete -c venc -n '__venc_at "plan"' -l download-connections -x -d 'number of connections that download the input, if its server allows s...'
complete -c venc -n '__venc_at "plan"' -l region -x -d 'region to encode in: us, europe or asia; best effort, never an error'
complete -c venc -n '__venc_at "plan"' -l grouping -x -k -a '(__venc_ask groupings)' -d 'report grouping of the job'
complete -c venc -n '__venc_at "plan"' -l pass-through -x -d 'a text that is stored with the job and returned with it'
complete -c venc -n '__venc_at "plan"' -l strict -d 'reject unknown names, contradictions and values that would be correct...'
complete -c venc -n '__venc_at "plan"' -l no-strict -d 'the opposite of --strict'
complete -c venc -n '__venc_at "plan"' -l mock -d 'only validate the request; nothing is queued'
complete -c venc -n '__venc_at "plan"' -l no-mock -d 'the opposite of --mock'
complete -c venc -n '__venc_at "plan"' -l label -x -k -a '(__venc_ask labels)' -d 'a name to distinguish the outputs; unique within a job'
complete -c venc -n '__venc_at "plan"' -l url -x -d 'destination of the file; overrides base_url and filename'
complete -c venc -n '__venc_at "plan"' -l base-url -x -d 'destination folder; the file is named filename, or gets a random name'
complete -c venc -n '__venc_at "plan"' -l filename -x -d 'name of the file; its extension selects the container'
complete -c venc -n '__venc_at "plan"' -l video-codec -x -a 'h264\\t theora\\t vp6\\t vp8\\t hevc\\t vp9\\t av1\\t' -d 'video codec'
complete -c venc -n '__venc_at "plan"' -l speed -x -d 'encoding speed; slower gives better compression, and only h264 has al...'
complete -c venc -n '__venc_at "plan"' -l public -d 'let everyone read the delivered file, if the destination supports acc...'
complete -c venc -n '__venc_at "plan"' -l no-public -d 'the opposite of --public'
complete -c venc -n '__venc_at "plan"' -l access-control -x -d 'grants on the delivered file, if the destination supports access control'
complete -c venc -n '__venc_at "plan"' -l width -x -d 'width of the video'
complete -c venc -n '__venc_at "plan"' -l height -x -d 'height of the video'
complete -c venc -n '__venc_at "plan"' -l size -x -d 'width and height together, as WIDTHxHEIGHT'
complete -c venc -n '__venc_at "plan"' -l upscale -d 'enlarge an input that is smaller than the output'
complete -c venc -n '__venc_at "plan"' -l no-upscale -d 'the opposite of --upscale'
complete -c venc -n '__venc_at "plan"' -l aspect-mode -x -a 'preserve\\t stretch\\t crop\\t pad\\t' -d 'what to do if the input has another aspect ratio than width and height'
complete -c venc -n '__venc_at "plan"' -l quality -x -d 'video quality; higher values need more bits'
complete -c venc -n '__venc_at "plan"' -l video-bitrate -x -d 'video bitrate: a predictable size instead of a predictable quality; o...'
complete -c venc -n '__venc_at "plan"' -l bitrate-cap -x -d 'maximum bitrate at any moment'
complete -c venc -n '__venc_at "plan"' -l buffer-size -x -d 'size of the decoder buffer that bitrate_cap applies to'
complete -c venc -n '__venc_at "plan"' -l onepass -d 'encode in one pass where video_bitrate, or the quality of vp9, needs...'
complete -c venc -n '__venc_at "plan"' -l no-onepass -d 'the opposite of --onepass'
complete -c venc -n '__venc_at "plan"' -l audio-codec -x -a 'aac\\t mp3\\t vorbis\\t opus\\t' -d 'audio codec'
complete -c venc -n '__venc_at "plan"' -l audio-quality -x -d 'audio quality; overrides audio_bitrate'
complete -c venc -n '__venc_at "plan"' -l audio-bitrate -x -d 'audio bitrate of all channels together; below 160 per channel'
complete -c venc -n '__venc_at "plan"' -l audio-sample-rate -x -d 'audio samples per second'
complete -c venc -n '__venc_at "plan"' -l audio-channels -x -d 'number of audio channels'
complete -c venc -n '__venc_at "plan"' -l skip-audio -d 'omit the audio'
complete -c venc -n '__venc_at "plan"' -l no-skip-audio -d 'the opposite of --skip-audio'
complete -c venc -n '__venc_at "plan"' -l skip-video -d 'omit the video'
complete -c venc -n '__venc_at "plan"' -l no-skip-video -d 'the opposite of --skip-video'
complete -c venc -n '__venc_at "plan"' -l deinterlace -x -a 'on\\t off\\t detect\\t' -d 'convert fields to whole frames; detect uses the field order that the...'
complete -c venc -n '__venc_at "plan"' -l max-frame-rate -x -d 'maximum frame rate; higher rates are reduced to it'
complete -c venc -n '__venc_at "plan"' -l frame-rate -x -d 'frame rate'
complete -c venc -n '__venc_at "plan"' -l decimate -x -d 'divide the frame rate of the input by this'
complete -c venc -n '__venc_at "plan"' -l keyframe-interval -x -d 'maximum distance between two keyframes'
complete -c venc -n '__venc_at "plan"' -l rotate -x -a '0\\t 90\\t 180\\t 270\\t' -d 'degrees to rotate the video clockwise; 0 keeps the stored orientation'
complete -c venc -n '__venc_at "plan"' -l start-clip -x -d 'start position, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "plan"' -l clip-length -x -d 'length to encode, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "plan"' -l watermark -x -d 'images overlaid on the video'
complete -c venc -n '__venc_at "plan"' -l thumbnails -x -d 'PNG images taken from the output, delivered next to it'
complete -c venc -n '__venc_at "plan"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "plan"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "plan"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "plan"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "plan"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "explain"' -l json -d 'print an array of objects, as GET /v2/settings has them'
complete -c venc -n '__venc_at "explain"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "explain"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "explain"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "explain"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "explain"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "list"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "list"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "list"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "list"' -l page -x -d 'the page, from 1'
complete -c venc -n '__venc_at "list"' -l per-page -x -d 'jobs per page, 1 to 50'
complete -c venc -n '__venc_at "list"' -l state -x -a 'pending\\t waiting\\t processing\\t finished\\t failed\\t cancelled\\t' -d 'only jobs in these states, comma-separated: pending, waiting, process...'
complete -c venc -n '__venc_at "list"' -l all -d 'all pages'
complete -c venc -n '__venc_at "list"' -l latest -d 'only the newest job'
complete -c venc -n '__venc_at "list"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "list"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "list"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "list"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "list"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "show" 0 more' -k -a '(__venc_ask jobs)'
complete -c venc -n '__venc_at "show"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "show"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "show"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "show"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "show"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "show"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "show"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "show"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "input" 0' -k -a '(__venc_ask inputs)'
complete -c venc -n '__venc_at "input"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "input"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "input"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "input"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "input"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "input"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "input"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "output" 0' -k -a '(__venc_ask outputs)'
complete -c venc -n '__venc_at "output"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "output"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "output"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "output"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "output"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "output"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "output"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "progress" 0' -k -a '(__venc_ask followed)'
complete -c venc -n '__venc_at "progress"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "progress"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "progress"' -l input -d 'the id is that of an input'
complete -c venc -n '__venc_at "progress"' -l output -d 'the id is that of an output'
complete -c venc -n '__venc_at "progress"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "progress"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "progress"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "progress"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "progress"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "watch" 0 more' -k -a '(__venc_ask jobs)'
complete -c venc -n '__venc_at "watch"' -l jsonl -d 'print one JSON object for each event'
complete -c venc -n '__venc_at "watch"' -l progress -x -a 'auto\\t tty\\t plain\\t json\\t none\\t' -d 'show progress as auto, tty, plain, json or none'
complete -c venc -n '__venc_at "watch"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "watch"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "watch"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "watch"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "watch"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "wait" 0 more' -k -a '(__venc_ask jobs)'
complete -c venc -n '__venc_at "wait"' -l timeout -x -d 'give up after this time, such as 90s, 5m or 2h'
complete -c venc -n '__venc_at "wait"' -l any -d 'wait only until the first job ends; it sets the exit code'
complete -c venc -n '__venc_at "wait"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "wait"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "wait"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "wait"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "wait"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "cancel" 0 more' -k -a '(__venc_ask active)'
complete -c venc -n '__venc_at "cancel"' -l state -x -a 'waiting\\t processing\\t' -d 'every job in these states, comma-separated: waiting, processing; repe...'
complete -c venc -n '__venc_at "cancel"' -l all -d 'every job that is waiting or processing'
complete -c venc -n '__venc_at "cancel"' -l yes -s y -d 'do not ask for confirmation'
complete -c venc -n '__venc_at "cancel"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "cancel"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "cancel"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "cancel"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "cancel"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "resubmit" 0 more' -k -a '(__venc_ask unfinished)'
complete -c venc -n '__venc_at "resubmit"' -l state -x -a 'pending\\t waiting\\t processing\\t cancelled\\t failed\\t' -d 'every job in these states, comma-separated: pending, waiting, process...'
complete -c venc -n '__venc_at "resubmit"' -l all -d 'every job that is pending, waiting, processing, cancelled or failed'
complete -c venc -n '__venc_at "resubmit"' -l yes -s y -d 'do not ask for confirmation'
complete -c venc -n '__venc_at "resubmit"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "resubmit"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "resubmit"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "resubmit"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "resubmit"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "rm" 0 more' -k -a '(__venc_ask jobs)'
complete -c venc -n '__venc_at "rm"' -l state -x -a 'finished\\t failed\\t cancelled\\t' -d 'every job in these states, comma-separated: finished, failed, cancell...'
complete -c venc -n '__venc_at "rm"' -l all -d 'every job that is finished, failed or cancelled'
complete -c venc -n '__venc_at "rm"' -l yes -s y -d 'do not ask for confirmation'
complete -c venc -n '__venc_at "rm"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "rm"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "rm"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "rm"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "rm"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "prune"' -l older-than -x -d 'jobs that ended longer ago: 12h, 30d, 2w'
complete -c venc -n '__venc_at "prune"' -l state -x -a 'finished\\t failed\\t cancelled\\t' -d 'only jobs in these states, comma-separated: finished, failed, cancell...'
complete -c venc -n '__venc_at "prune"' -l dry-run -d 'print the ids of the jobs to remove without removing them'
complete -c venc -n '__venc_at "prune"' -l yes -s y -d 'do not ask for confirmation'
complete -c venc -n '__venc_at "prune"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "prune"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "prune"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "prune"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "prune"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "download" 0 more' -k -a '(__venc_ask jobs)'
complete -c venc -n '__venc_at "download"' -l out -s o -x -a '(__fish_complete_directories (commandline -ct))' -d 'the folder to write to'
complete -c venc -n '__venc_at "download"' -l force -d 'overwrite existing files'
complete -c venc -n '__venc_at "download"' -l progress -x -a 'auto\\t tty\\t plain\\t json\\t none\\t' -d 'show progress as auto, tty, plain, json or none'
complete -c venc -n '__venc_at "download"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "download"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "download"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "download"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "download"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "report" 0' -a 'all\\t vod\\t live\\t'
complete -c venc -n '__venc_at "report"' -l from -x -d 'first day, such as 2026-03-01'
complete -c venc -n '__venc_at "report"' -l to -x -d 'last day'
complete -c venc -n '__venc_at "report"' -l grouping -x -k -a '(__venc_ask groupings)' -d 'only the usage under this report grouping'
complete -c venc -n '__venc_at "report"' -l csv -d 'print CSV, one line per day and grouping'
complete -c venc -n '__venc_at "report"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "report"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "report"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "report"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "report"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "report"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "report"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "daemon"' -l host -x -d 'address to listen on'
complete -c venc -n '__venc_at "daemon"' -l port -x -d 'port to listen on; 0 selects a free one'
complete -c venc -n '__venc_at "daemon"' -l jobs -x -d 'jobs to encode concurrently; 0 accepts jobs but starts none'
complete -c venc -n '__venc_at "daemon"' -l files-root -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder that file: URLs may read from and write to; repeatable'
complete -c venc -n '__venc_at "daemon"' -l allow-private-network -d 'allow inputs from private addresses and notifications to them'
complete -c venc -n '__venc_at "daemon"' -l no-allow-private-network -d 'the opposite of --allow-private-network'
complete -c venc -n '__venc_at "daemon"' -l grace -x -d 'time that running jobs get to finish when the daemon stops, such as 3...'
complete -c venc -n '__venc_at "daemon"' -l stall-timeout -x -d 'abort a transfer after this time without data'
complete -c venc -n '__venc_at "daemon"' -l public-url -x -d 'URL at which clients reach this daemon'
complete -c venc -n '__venc_at "daemon"' -l min-free -x -d 'accept no jobs below this much free disk space, such as 500MB'
complete -c venc -n '__venc_at "daemon"' -l max-outputs -x -d 'maximum number of outputs of a job'
complete -c venc -n '__venc_at "daemon"' -l rate-limit -x -d 'requests per minute and key'
complete -c venc -n '__venc_at "daemon"' -l log-format -x -a 'text\\t json\\t' -d 'text or json'
complete -c venc -n '__venc_at "daemon"' -l rebuild-usage -d 'recount the usage for reports from the files of all jobs'
complete -c venc -n '__venc_at "daemon"' -l ffmpeg -r -F -d 'the ffmpeg to use'
complete -c venc -n '__venc_at "daemon"' -l ffprobe -r -F -d 'the ffprobe to use'
complete -c venc -n '__venc_at "daemon"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "daemon"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "daemon"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "daemon"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "daemon"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "accounts" 0' -a create -d 'create an account in integration mode and print its key, which is not shown again'
complete -c venc -n '__venc_at "accounts" 0' -a list -d 'list the accounts'
complete -c venc -n '__venc_at "accounts" 0' -a show -d 'show an account, or the secret that signs its notifications'
complete -c venc -n '__venc_at "accounts" 0' -a live -d 'switch an account to live mode'
complete -c venc -n '__venc_at "accounts" 0' -a integration -d 'switch an account to integration mode'
complete -c venc -n '__venc_at "accounts"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "accounts"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "accounts"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "accounts"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "accounts"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "accounts create"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "accounts create"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "accounts create"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "accounts create"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "accounts create"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "accounts list"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "accounts list"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "accounts list"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "accounts list"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "accounts list"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "accounts list"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "accounts list"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "accounts list"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "accounts show" 0' -k -a '(__venc_ask accounts)'
complete -c venc -n '__venc_at "accounts show"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "accounts show"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "accounts show"' -l secret -d 'print only the notification secret'
complete -c venc -n '__venc_at "accounts show"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "accounts show"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "accounts show"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "accounts show"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "accounts show"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "accounts live" 0' -k -a '(__venc_ask accounts)'
complete -c venc -n '__venc_at "accounts live"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "accounts live"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "accounts live"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "accounts live"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "accounts live"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "accounts integration" 0' -k -a '(__venc_ask accounts)'
complete -c venc -n '__venc_at "accounts integration"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "accounts integration"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "accounts integration"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "accounts integration"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "accounts integration"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "keys" 0' -a create -d 'create a key and print it'
complete -c venc -n '__venc_at "keys" 0' -a list -d 'list the short ids of the keys, not the keys themselves'
complete -c venc -n '__venc_at "keys" 0' -a revoke -d 'revoke a key permanently'
complete -c venc -n '__venc_at "keys"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "keys"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "keys"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "keys"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "keys"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "keys create"' -l account -x -k -a '(__venc_ask accounts)' -d 'the account of the key'
complete -c venc -n '__venc_at "keys create"' -l read-only -d 'a key that can only read input and output details and progress'
complete -c venc -n '__venc_at "keys create"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "keys create"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "keys create"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "keys create"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "keys create"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "keys list"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "keys list"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "keys list"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "keys list"' -l account -x -k -a '(__venc_ask accounts)' -d 'only the keys of this account'
complete -c venc -n '__venc_at "keys list"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "keys list"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "keys list"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "keys list"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "keys list"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "keys revoke" 0' -k -a '(__venc_ask keys)'
complete -c venc -n '__venc_at "keys revoke"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "keys revoke"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "keys revoke"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "keys revoke"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "keys revoke"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "target" 0' -a add -d 'save a service under a name'
complete -c venc -n '__venc_at "target" 0' -a list -d 'list the targets without their keys'
complete -c venc -n '__venc_at "target" 0' -a use -d 'use this service by default'
complete -c venc -n '__venc_at "target" 0' -a remove -d 'remove a target and its key'
complete -c venc -n '__venc_at "target"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "target"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "target"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "target"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "target"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "target add"' -l force -d 'replace the target that has this name'
complete -c venc -n '__venc_at "target add"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "target add"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "target add"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "target add"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "target add"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "target list"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "target list"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "target list"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "target list"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "target list"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "target list"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "target list"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "target list"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "target use" 0' -k -a '(__venc_ask targets)'
complete -c venc -n '__venc_at "target use"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "target use"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "target use"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "target use"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "target use"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "target remove" 0' -k -a '(__venc_ask targets)'
complete -c venc -n '__venc_at "target remove"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "target remove"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "target remove"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "target remove"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "target remove"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "preset" 0' -a save -d 'save settings under a name'
complete -c venc -n '__venc_at "preset" 0' -a list -d 'list the presets'
complete -c venc -n '__venc_at "preset" 0' -a show -d 'print a preset as a request in JSON, without passwords'
complete -c venc -n '__venc_at "preset" 0' -a remove -d 'remove a preset'
complete -c venc -n '__venc_at "preset"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "preset"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "preset"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "preset"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "preset"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "preset save"' -l force -d 'replace the preset that has this name'
complete -c venc -n '__venc_at "preset save"' -l output -x -a '(__venc_settings)' -d 'one output: name=value,name=value, or {json}, or @FILE with either; r...'
complete -c venc -n '__venc_at "preset save"' -l preset -x -k -a '(__venc_ask presets)' -d 'start from the settings saved by venc preset save'
complete -c venc -n '__venc_at "preset save"' -l test -d 'test mode: encode the first 5 seconds only'
complete -c venc -n '__venc_at "preset save"' -l no-test -d 'the opposite of --test'
complete -c venc -n '__venc_at "preset save"' -l download-connections -x -d 'number of connections that download the input, if its server allows s...'
complete -c venc -n '__venc_at "preset save"' -l region -x -d 'region to encode in: us, europe or asia; best effort, never an error'
complete -c venc -n '__venc_at "preset save"' -l grouping -x -k -a '(__venc_ask groupings)' -d 'report grouping of the job'
complete -c venc -n '__venc_at "preset save"' -l pass-through -x -d 'a text that is stored with the job and returned with it'
complete -c venc -n '__venc_at "preset save"' -l notify -x -d 'a URL that is notified when the job has ended'
complete -c venc -n '__venc_at "preset save"' -l strict -d 'reject unknown names, contradictions and values that would be correct...'
complete -c venc -n '__venc_at "preset save"' -l no-strict -d 'the opposite of --strict'
complete -c venc -n '__venc_at "preset save"' -l mock -d 'only validate the request; nothing is queued'
complete -c venc -n '__venc_at "preset save"' -l no-mock -d 'the opposite of --mock'
complete -c venc -n '__venc_at "preset save"' -l label -x -k -a '(__venc_ask labels)' -d 'a name to distinguish the outputs; unique within a job'
complete -c venc -n '__venc_at "preset save"' -l url -x -d 'destination of the file; overrides base_url and filename'
complete -c venc -n '__venc_at "preset save"' -l base-url -x -d 'destination folder; the file is named filename, or gets a random name'
complete -c venc -n '__venc_at "preset save"' -l filename -x -d 'name of the file; its extension selects the container'
complete -c venc -n '__venc_at "preset save"' -l video-codec -x -a 'h264\\t theora\\t vp6\\t vp8\\t hevc\\t vp9\\t av1\\t' -d 'video codec'
complete -c venc -n '__venc_at "preset save"' -l speed -x -d 'encoding speed; slower gives better compression, and only h264 has al...'
complete -c venc -n '__venc_at "preset save"' -l public -d 'let everyone read the delivered file, if the destination supports acc...'
complete -c venc -n '__venc_at "preset save"' -l no-public -d 'the opposite of --public'
complete -c venc -n '__venc_at "preset save"' -l access-control -x -d 'grants on the delivered file, if the destination supports access control'
complete -c venc -n '__venc_at "preset save"' -l width -x -d 'width of the video'
complete -c venc -n '__venc_at "preset save"' -l height -x -d 'height of the video'
complete -c venc -n '__venc_at "preset save"' -l size -x -d 'width and height together, as WIDTHxHEIGHT'
complete -c venc -n '__venc_at "preset save"' -l upscale -d 'enlarge an input that is smaller than the output'
complete -c venc -n '__venc_at "preset save"' -l no-upscale -d 'the opposite of --upscale'
complete -c venc -n '__venc_at "preset save"' -l aspect-mode -x -a 'preserve\\t stretch\\t crop\\t pad\\t' -d 'what to do if the input has another aspect ratio than width and height'
complete -c venc -n '__venc_at "preset save"' -l quality -x -d 'video quality; higher values need more bits'
complete -c venc -n '__venc_at "preset save"' -l video-bitrate -x -d 'video bitrate: a predictable size instead of a predictable quality; o...'
complete -c venc -n '__venc_at "preset save"' -l bitrate-cap -x -d 'maximum bitrate at any moment'
complete -c venc -n '__venc_at "preset save"' -l buffer-size -x -d 'size of the decoder buffer that bitrate_cap applies to'
complete -c venc -n '__venc_at "preset save"' -l onepass -d 'encode in one pass where video_bitrate, or the quality of vp9, needs...'
complete -c venc -n '__venc_at "preset save"' -l no-onepass -d 'the opposite of --onepass'
complete -c venc -n '__venc_at "preset save"' -l audio-codec -x -a 'aac\\t mp3\\t vorbis\\t opus\\t' -d 'audio codec'
complete -c venc -n '__venc_at "preset save"' -l audio-quality -x -d 'audio quality; overrides audio_bitrate'
complete -c venc -n '__venc_at "preset save"' -l audio-bitrate -x -d 'audio bitrate of all channels together; below 160 per channel'
complete -c venc -n '__venc_at "preset save"' -l audio-sample-rate -x -d 'audio samples per second'
complete -c venc -n '__venc_at "preset save"' -l audio-channels -x -d 'number of audio channels'
complete -c venc -n '__venc_at "preset save"' -l skip-audio -d 'omit the audio'
complete -c venc -n '__venc_at "preset save"' -l no-skip-audio -d 'the opposite of --skip-audio'
complete -c venc -n '__venc_at "preset save"' -l skip-video -d 'omit the video'
complete -c venc -n '__venc_at "preset save"' -l no-skip-video -d 'the opposite of --skip-video'
complete -c venc -n '__venc_at "preset save"' -l deinterlace -x -a 'on\\t off\\t detect\\t' -d 'convert fields to whole frames; detect uses the field order that the...'
complete -c venc -n '__venc_at "preset save"' -l max-frame-rate -x -d 'maximum frame rate; higher rates are reduced to it'
complete -c venc -n '__venc_at "preset save"' -l frame-rate -x -d 'frame rate'
complete -c venc -n '__venc_at "preset save"' -l decimate -x -d 'divide the frame rate of the input by this'
complete -c venc -n '__venc_at "preset save"' -l keyframe-interval -x -d 'maximum distance between two keyframes'
complete -c venc -n '__venc_at "preset save"' -l rotate -x -a '0\\t 90\\t 180\\t 270\\t' -d 'degrees to rotate the video clockwise; 0 keeps the stored orientation'
complete -c venc -n '__venc_at "preset save"' -l start-clip -x -d 'start position, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "preset save"' -l clip-length -x -d 'length to encode, as HH:MM:SS.S or in seconds'
complete -c venc -n '__venc_at "preset save"' -l watermark -x -d 'images overlaid on the video'
complete -c venc -n '__venc_at "preset save"' -l thumbnails -x -d 'PNG images taken from the output, delivered next to it'
complete -c venc -n '__venc_at "preset save"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "preset save"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "preset save"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "preset save"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "preset save"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "preset list"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "preset list"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "preset list"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "preset list"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "preset list"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "preset list"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "preset list"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "preset list"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "preset show" 0' -k -a '(__venc_ask presets)'
complete -c venc -n '__venc_at "preset show"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "preset show"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "preset show"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "preset show"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "preset show"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "preset remove" 0' -k -a '(__venc_ask presets)'
complete -c venc -n '__venc_at "preset remove"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "preset remove"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "preset remove"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "preset remove"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "preset remove"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config" 0' -a get -d 'print the value of a key'
complete -c venc -n '__venc_at "config" 0' -a set -d 'configure a key'
complete -c venc -n '__venc_at "config" 0' -a list -d 'list all keys with their values and the source of each value'
complete -c venc -n '__venc_at "config" 0' -a path -d 'print the path of the configuration file, whether it exists or not'
complete -c venc -n '__venc_at "config"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config get" 0' -a ffmpeg -d 'path of ffmpeg'
complete -c venc -n '__venc_at "config get" 0' -a ffprobe -d 'path of ffprobe'
complete -c venc -n '__venc_at "config get" 0' -a data -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config get" 0' -a target -d 'the service to use, by its name in venc target list'
complete -c venc -n '__venc_at "config get" 0' -a url -d 'URL of a service whose key is in VENC_API_KEY'
complete -c venc -n '__venc_at "config get" 0' -a progress -d 'how progress is shown'
complete -c venc -n '__venc_at "config get" 0' -a color -d 'whether to use colours on a terminal'
complete -c venc -n '__venc_at "config get" 0' -a host -d 'address to listen on'
complete -c venc -n '__venc_at "config get" 0' -a port -d 'port to listen on; 0 selects a free one'
complete -c venc -n '__venc_at "config get" 0' -a jobs -d 'jobs to encode concurrently; 0 accepts jobs but starts none'
complete -c venc -n '__venc_at "config get" 0' -a files-root -d 'folder that file: URLs may read from and write to; repeatable'
complete -c venc -n '__venc_at "config get" 0' -a allow-private-network -d 'allow inputs from private addresses and notifications to them'
complete -c venc -n '__venc_at "config get" 0' -a grace -d 'time that running jobs get to finish when the daemon stops, such as 3...'
complete -c venc -n '__venc_at "config get" 0' -a stall-timeout -d 'abort a transfer after this time without data'
complete -c venc -n '__venc_at "config get" 0' -a public-url -d 'URL at which clients reach this daemon'
complete -c venc -n '__venc_at "config get" 0' -a min-free -d 'accept no jobs below this much free disk space, such as 500MB'
complete -c venc -n '__venc_at "config get" 0' -a max-outputs -d 'maximum number of outputs of a job'
complete -c venc -n '__venc_at "config get" 0' -a rate-limit -d 'requests per minute and key'
complete -c venc -n '__venc_at "config get" 0' -a log-format -d 'text or json'
complete -c venc -n '__venc_at "config get"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config get"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config get"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config get"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config get"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set" 0' -a ffmpeg -d 'path of ffmpeg'
complete -c venc -n '__venc_at "config set" 0' -a ffprobe -d 'path of ffprobe'
complete -c venc -n '__venc_at "config set" 0' -a data -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set" 0' -a target -d 'the service to use, by its name in venc target list'
complete -c venc -n '__venc_at "config set" 0' -a url -d 'URL of a service whose key is in VENC_API_KEY'
complete -c venc -n '__venc_at "config set" 0' -a progress -d 'how progress is shown'
complete -c venc -n '__venc_at "config set" 0' -a color -d 'whether to use colours on a terminal'
complete -c venc -n '__venc_at "config set" 0' -a host -d 'address to listen on'
complete -c venc -n '__venc_at "config set" 0' -a port -d 'port to listen on; 0 selects a free one'
complete -c venc -n '__venc_at "config set" 0' -a jobs -d 'jobs to encode concurrently; 0 accepts jobs but starts none'
complete -c venc -n '__venc_at "config set" 0' -a files-root -d 'folder that file: URLs may read from and write to; repeatable'
complete -c venc -n '__venc_at "config set" 0' -a allow-private-network -d 'allow inputs from private addresses and notifications to them'
complete -c venc -n '__venc_at "config set" 0' -a grace -d 'time that running jobs get to finish when the daemon stops, such as 3...'
complete -c venc -n '__venc_at "config set" 0' -a stall-timeout -d 'abort a transfer after this time without data'
complete -c venc -n '__venc_at "config set" 0' -a public-url -d 'URL at which clients reach this daemon'
complete -c venc -n '__venc_at "config set" 0' -a min-free -d 'accept no jobs below this much free disk space, such as 500MB'
complete -c venc -n '__venc_at "config set" 0' -a max-outputs -d 'maximum number of outputs of a job'
complete -c venc -n '__venc_at "config set" 0' -a rate-limit -d 'requests per minute and key'
complete -c venc -n '__venc_at "config set" 0' -a log-format -d 'text or json'
complete -c venc -n '__venc_at "config set"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set ffmpeg" 0' -F
complete -c venc -n '__venc_at "config set ffmpeg"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set ffmpeg"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set ffmpeg"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set ffmpeg"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set ffmpeg"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set ffmpeg"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set ffprobe" 0' -F
complete -c venc -n '__venc_at "config set ffprobe"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set ffprobe"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set ffprobe"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set ffprobe"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set ffprobe"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set ffprobe"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set data" 0' -a '(__fish_complete_directories (commandline -ct))'
complete -c venc -n '__venc_at "config set data"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set data"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set data"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set data"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set data"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set data"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set target" 0' -k -a '(__venc_ask targets)'
complete -c venc -n '__venc_at "config set target"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set target"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set target"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set target"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set target"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set target"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set url"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set url"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set url"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set url"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set url"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set url"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set progress" 0' -a 'auto\\t tty\\t plain\\t json\\t none\\t'
complete -c venc -n '__venc_at "config set progress"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set progress"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set progress"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set progress"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set progress"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set progress"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set color" 0' -a 'auto\\t never\\t'
complete -c venc -n '__venc_at "config set color"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set color"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set color"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set color"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set color"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set color"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set host"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set host"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set host"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set host"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set host"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set host"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set port"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set port"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set port"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set port"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set port"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set port"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set jobs"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set jobs"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set jobs"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set jobs"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set jobs"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set jobs"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set files-root" 0' -a '(__fish_complete_directories (commandline -ct))'
complete -c venc -n '__venc_at "config set files-root"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set files-root"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set files-root"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set files-root"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set files-root"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set files-root"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set allow-private-network" 0' -a 'true\\t false\\t'
complete -c venc -n '__venc_at "config set allow-private-network"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set allow-private-network"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set allow-private-network"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set allow-private-network"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set allow-private-network"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set allow-private-network"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set grace"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set grace"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set grace"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set grace"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set grace"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set grace"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set stall-timeout"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set stall-timeout"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set stall-timeout"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set stall-timeout"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set stall-timeout"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set stall-timeout"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set public-url"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set public-url"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set public-url"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set public-url"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set public-url"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set public-url"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set min-free"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set min-free"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set min-free"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set min-free"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set min-free"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set min-free"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set max-outputs"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set max-outputs"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set max-outputs"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set max-outputs"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set max-outputs"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set max-outputs"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set rate-limit"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set rate-limit"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set rate-limit"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set rate-limit"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set rate-limit"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set rate-limit"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config set log-format" 0' -a 'text\\t json\\t'
complete -c venc -n '__venc_at "config set log-format"' -l unset -d 'remove its value'
complete -c venc -n '__venc_at "config set log-format"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config set log-format"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config set log-format"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config set log-format"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config set log-format"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config list"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "config list"' -l jsonl -d 'print one JSON object per line'
complete -c venc -n '__venc_at "config list"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "config list"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config list"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config list"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config list"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config list"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "config path"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "config path"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "config path"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "config path"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "config path"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "completion" 0' -a 'bash\\t zsh\\t fish\\t'
complete -c venc -n '__venc_at "completion"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "completion"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "completion"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "completion"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "completion"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "doctor"' -l json -d 'print the response as one JSON document, with the names and units of...'
complete -c venc -n '__venc_at "doctor"' -l fields -x -d 'print only these fields, comma-separated; a.b is b within a'
complete -c venc -n '__venc_at "doctor"' -l ffmpeg -r -F -d 'the ffmpeg to check'
complete -c venc -n '__venc_at "doctor"' -l ffprobe -r -F -d 'the ffprobe to check'
complete -c venc -n '__venc_at "doctor"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "doctor"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "doctor"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "doctor"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "doctor"' -l help -s h -d 'show this help'

complete -c venc -n '__venc_at "help" 0' -a run -d 'encode files on this machine, without a daemon or a service'
complete -c venc -n '__venc_at "help" 0' -a submit -d 'submit jobs: URLs, local files or requests'
complete -c venc -n '__venc_at "help" 0' -a plan -d 'print the ffmpeg command lines without running them'
complete -c venc -n '__venc_at "help" 0' -a explain -d 'explain a setting: its value, default, rules and an example'
complete -c venc -n '__venc_at "help" 0' -a list -d 'list jobs, newest first'
complete -c venc -n '__venc_at "help" 0' -a show -d 'show a job with its input and outputs'
complete -c venc -n '__venc_at "help" 0' -a input -d 'show an input'
complete -c venc -n '__venc_at "help" 0' -a output -d 'show an output'
complete -c venc -n '__venc_at "help" 0' -a progress -d 'show the progress of a job, an input or an output'
complete -c venc -n '__venc_at "help" 0' -a watch -d 'watch jobs until they end'
complete -c venc -n '__venc_at "help" 0' -a wait -d 'wait until jobs have ended, without output'
complete -c venc -n '__venc_at "help" 0' -a cancel -d 'cancel jobs'
complete -c venc -n '__venc_at "help" 0' -a resubmit -d 'resubmit jobs that did not finish'
complete -c venc -n '__venc_at "help" 0' -a rm -d 'remove jobs that have ended, with their hosted files'
complete -c venc -n '__venc_at "help" 0' -a prune -d 'remove jobs that ended some time ago, with their hosted files'
complete -c venc -n '__venc_at "help" 0' -a download -d 'download the outputs that the service hosts'
complete -c venc -n '__venc_at "help" 0' -a report -d 'show the usage by day and grouping'
complete -c venc -n '__venc_at "help" 0' -a daemon -d 'run the local encoding service'
complete -c venc -n '__venc_at "help" 0' -a accounts -d 'manage the accounts of the local daemon'
complete -c venc -n '__venc_at "help" 0' -a keys -d 'manage the API keys of the local daemon'
complete -c venc -n '__venc_at "help" 0' -a target -d 'name services and select one'
complete -c venc -n '__venc_at "help" 0' -a preset -d 'save settings under a name, for --preset'
complete -c venc -n '__venc_at "help" 0' -a config -d 'configure defaults of flags'
complete -c venc -n '__venc_at "help" 0' -a completion -d 'print the completions for bash, zsh or fish'
complete -c venc -n '__venc_at "help" 0' -a doctor -d 'check the installation and whether the service answers'
complete -c venc -n '__venc_at "help" 0' -a settings -d 'how settings are given, and which there are'
complete -c venc -n '__venc_at "help" 0' -a requests -d 'request files, stdin and several outputs'
complete -c venc -n '__venc_at "help" 0' -a services -d 'which service commands talk to: the local daemon or another'
complete -c venc -n '__venc_at "help" 0' -a exit-codes -d 'the exit codes and their meaning'
complete -c venc -n '__venc_at "help" 0' -a environment -d 'environment variables, files and folders'
complete -c venc -n '__venc_at "help" 0' -a recipes -d 'a folder of videos, cron, xargs, jq'
complete -c venc -n '__venc_at "help"' -l data -x -a '(__fish_complete_directories (commandline -ct))' -d 'data folder of the local daemon'
complete -c venc -n '__venc_at "help"' -l target -x -k -a '(__venc_ask targets)' -d 'the service to talk to: a name of venc target list'
complete -c venc -n '__venc_at "help"' -l no-color -d 'no colours'
complete -c venc -n '__venc_at "help"' -l debug -d 'show stack traces of errors'
complete -c venc -n '__venc_at "help"' -l help -s h -d 'show this help'
