import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listSettings } from '../../src/shared/settings/support.js';

/** Every setting of the hosted service and its clients, with other spellings, by the object that it belongs to. */
const names = {
  job: `input test download_connections region grouping pass_through mock notifications private credentials
    expected_md5_checksum aspera_transfer_policy transfer_minimum_rate transfer_maximum_rate strict strict_mode
    generate_dynamic_profile dynamic_profile_options dynamic_profile_options.min_renditions
    dynamic_profile_options.max_renditions dynamic_profile_options.min_resolution
    dynamic_profile_options.max_resolution dynamic_profile_options.max_frame_rate
    dynamic_profile_options.keyframe_rate dynamic_profile_options.fixed_frame_rate
    dynamic_profile_options.max_bitrate dynamic_profile_options.min_bitrate
    dynamic_profile_options.max_first_rendition_bitrate dynamic_profile_options.min_granularity
    dynamic_profile_options.max_granularity dynamic_profile_options.video_codec
    dynamic_profile_options.video_codecs dynamic_profile_options.video_codec_options
    dynamic_profile_options.bitrate_cap_to_bitrate_ratio dynamic_profile_options.buffer_size_to_bitrate_ratio
    dynamic_profile_options.bitrate_cap_offset dynamic_profile_options.buffer_size_offset
    dynamic_profile_options.quality_rate_tune dynamic_profile_options.select_baseline_profile_configuration
    dynamic_profile_options.select_distinct_configurations dynamic_profile_options.video_configurations
    dynamic_profile_options.watermarks dynamic_profile_options.hdr_format live_stream event_length reconnect_time
    live_sliding_window_duration redundant_transcode decryption_method decryption_key decryption_key_url
    decryption_password notification notifications.url notifications.format notifications.headers
    notifications.event`,
  output: `type format label url base_url filename device_profile strict strict_mode skip_video skip_audio source
    copy_video copy_audio credentials headers secondary_url public access_control access_controls
    access_control.grantee access_control.permission access_control.permissions rrs generate_md5_checksum
    parallel_upload_limit package_format package_filename notifications notification skip skip.min_size
    skip.max_size skip.min_duration skip.max_duration skip.min_audio_bitrate skip.max_audio_bitrate
    skip.min_video_bitrate skip.max_video_bitrate skip.require_audio skip.require_video min_size max_size
    min_duration max_duration dynamic_profile_rendition cae_options cae_rendition rtmp_keep_alive instant_play
    live_stream video_codec audio_codec audio_bit_depth hint mtu_size cue_points cue_points.type cue_points.name
    cue_points.time cue_points.data size width height upscale aspect_mode sample_aspect_ratio
    force_interlace_headers flip rotate color_metadata video_bit_depth quality video_bitrate bitrate_cap
    decoder_bitrate_cap buffer_size decoder_buffer_size onepass one_pass speed max_video_bitrate crf
    constant_bitrate tuning lossless_video video_codec_profile h264_profile videoe_codec_profile
    video_codec_level h264_level video_reference_frames h264_reference_frames video_bframes h264_bframes
    video_codec_preset alpha_transparency hdr_format preserve_hdr_metadata master_display
    max_content_light_level max_frame_average_light_level video_color_range dolby_vision_rpu_url
    keyframe_interval keyframe_rate fixed_keyframe_interval forced_keyframe_interval force_keyframe_interval
    forced_keyframe_rate force_keyframe_rate prepare_for_segmenting generate_frame_index frame_index_filename
    frame_rate max_frame_rate min_frame_rate decimate start_clip clip_length deinterlace deinterlace_mode
    audio_quality audio_bitrate audio_constant_bitrate audio_sample_rate max_audio_sample_rate audio_channels
    max_aac_profile force_aac_profile audio_language select_audio_language input_audio_service_types
    select_audio_service_type input_audio_channels output_audio_channels audio_gain audio_pre_normalize
    audio_post_normalize audio_normalize audio_bass audio_treble audio_highpass audio_lowpass
    audio_compression_ratio audio_compression_threshold audio_expansion_ratio audio_expansion_threshold
    audio_fade audio_fade_in audio_fade_out audio_loudness_level loudness audio_karaoke_mode denoise sharpen
    sharpet deblock autolevel auto_level thumbnails thumbnail thumbnails.label thumbnails.format
    thumbnails.number thumbnails.start_at_first_frame thumbnails.interval thumbnails.interval_in_frames
    thumbnails.times thumbnails.size thumbnails.width thumbnails.height thumbnails.aspect_mode
    thumbnails.base_url thumbnails.prefix thumbnails.filename thumbnails.public thumbnails.access_control
    thumbnails.rrs thumbnails.headers thumbnails.credentials thumbnails.parallel_upload_limit watermark
    watermarks watermark.url watermark.x watermark.y watermark.width watermark.height watermark.origin
    watermark.opacity aspera_transfer_policy transfer_minimum_rate transfer_maximum_rate azure_sas
    segment_seconds streaming_delivery_format streaming_delivery_profile byte_range_segmenting
    generate_keyframe_manifest keyframe_manifest_filename max_hls_protocol_version hls_protocol_version
    hls_optimized_ts segment_image_url segment_image_file segment_video_snapshots segment_size packaging
    playlist_format streams streams.path streams.source streams.bandwidth streams.resolution streams.codecs
    streams.width streams.height streams.audio streams.captions streams.name alternate_audio
    alternate_audio.path alternate_audio.source alternate_audio.language alternate_audio.name
    alternate_audio.default alternate_audio.autoselect captions captions.path captions.source
    captions.language captions.name captions.default captions.forced allow_skipped_sources smil_base_url
    encryption_method encryption_key encryption_key_url encryption_key_rotation_period
    encryption_key_url_prefix encryption_iv encryption_password decryption_method decryption_key
    decryption_key_url decryption_password caption_url captions_url caption_url.url caption_url.language
    caption_url.label caption_url.default caption_url.forced caption_url.format caption_url.encoding
    skip_captions subtitles segmented caption_from_audio_transcription include_transcription_json
    transcription_filename transcription_vocabulary_name transcription_vocabulary_filter language drm
    drm.method drm.provider drm.key_id drm.key_guid drm.user_key drm.server_key drm.media_id drm.content_id
    drm.content_key drm.schemas drm_method vp6_temporal_down_watermark vp6_temporal_resampling
    vp6_undershoot_pct vp6_profile vp6_compression_mode vp6_2pass_min_section vp6_2pass_max_section
    vp6_stream_prebuffer vp6_stream_max_buffer vp6_deinterlace_mode vp6_denoise_level format_preset ts_muxrate
    ts_pmt_pid ts_video_pid ts_audio_pid ts_pcr_pid ts_cbr forensic_watermark forensic_watermark_stub_mode
    generate_mp4_atom_map mp4_atom_map_filename`,
} as const;

for (const [object, list] of Object.entries(names)) {
  test(`every setting of ${object === 'job' ? 'a job' : 'an output'} at the hosted service is in a table`, () => {
    const known = new Set(
      listSettings()
        .filter((setting) => setting.object === object)
        .flatMap(({ name, spellings }) => [
          name,
          ...spellings.flatMap((spelling) => [spelling, name.replace(/[^.]+$/, spelling)]),
        ]),
    );
    assert.equal(
      list.split(/\s+/).filter((name) => !known.has(name)),
      [],
    );
  });
}

test('every setting is supported, has no effect for a reason, or is rejected for a reason', () => {
  for (const { name, support, reason } of listSettings())
    if (support === 'supported') assert.match(reason ?? 'except x', /^except /, name);
    else assert.ok((reason ?? '').length > 0, name);
});

test.run();
