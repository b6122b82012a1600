//! Small device functions that the printed code calls: what C++ has no operator for, or what it leaves undefined. Only those
//! that are used are printed.

/// A function.
pub(super) struct Helper {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

const fn helper(name: &'static str, text: &'static str) -> Helper {
    Helper { name, text }
}

/// Callees before callers.
static HELPERS: &[Helper] = &[
    helper(
        "as_one",
        "template <class W, class T> __device__ __forceinline__ void as_one(T* to, const T* from) { *reinterpret_cast<W*>(to) = *reinterpret_cast<const W*>(from); }",
    ),
    helper(
        "from_bf16",
        "__device__ __forceinline__ float from_bf16(unsigned short x) { return __uint_as_float((unsigned)x << 16); }",
    ),
    helper(
        "to_bf16",
        "__device__ __forceinline__ unsigned short to_bf16(float x) { unsigned short y; asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y; }",
    ),
    // Of what was rounded before.
    helper(
        "bits_of_bf16",
        "__device__ __forceinline__ unsigned short bits_of_bf16(float x) { return (unsigned short)(__float_as_uint(x) >> 16); }",
    ),
    helper("round_bf16", "__device__ __forceinline__ float round_bf16(float x) { return from_bf16(to_bf16(x)); }"),
    helper(
        "from_f16",
        "__device__ __forceinline__ float from_f16(unsigned short x) { float y; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x)); return y; }",
    ),
    helper(
        "to_f16",
        "__device__ __forceinline__ unsigned short to_f16(float x) { unsigned short y; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x)); return y; }",
    ),
    helper("round_f16", "__device__ __forceinline__ float round_f16(float x) { return from_f16(to_f16(x)); }"),
    helper(
        "from_f8e5m2",
        "__device__ __forceinline__ float from_f8e5m2(unsigned char x) { return from_f16((unsigned short)(x << 8)); }",
    ),
    helper(
        "to_f8e5m2",
        "__device__ __forceinline__ unsigned char to_f8e5m2(float x) { unsigned u = __float_as_uint(x), s = u >> 24 & 0x80u; u &= 0x7fffffffu; if (u > 0x7f800000u) return (unsigned char)(s | 0x7eu); if (u >= 0x47700000u) return (unsigned char)(s | 0x7cu); if (u < 0x38800000u) { float m = rintf(__uint_as_float(u) * 65536.0f); return (unsigned char)(s | (unsigned)m); } u += 0xfffffu + (u >> 21 & 1u); return (unsigned char)(s | ((u >> 21) - (112u << 2))); }",
    ),
    helper(
        "round_f8e5m2",
        "__device__ __forceinline__ float round_f8e5m2(float x) { return from_f8e5m2(to_f8e5m2(x)); }",
    ),
    helper(
        "from_f8e4m3fn",
        "__device__ __forceinline__ float from_f8e4m3fn(unsigned char x) { unsigned m = x & 0x7fu; float y = m == 0x7fu ? __int_as_float(0x7fc00000) : (m < 8u ? (float)m * 0.001953125f : __uint_as_float((m + (120u << 3)) << 20)); return x & 0x80u ? -y : y; }",
    ),
    helper(
        "to_f8e4m3fn",
        "__device__ __forceinline__ unsigned char to_f8e4m3fn(float x) { unsigned u = __float_as_uint(x), s = u >> 24 & 0x80u; u &= 0x7fffffffu; if (u < 0x3c800000u) { float m = rintf(__uint_as_float(u) * 512.0f); return (unsigned char)(s | (unsigned)m); } if (u >= 0x43e80001u) return (unsigned char)(s | 0x7fu); u += 0x7ffffu + (u >> 20 & 1u); return (unsigned char)(s | ((u >> 20) - (120u << 3))); }",
    ),
    helper(
        "round_f8e4m3fn",
        "__device__ __forceinline__ float round_f8e4m3fn(float x) { return from_f8e4m3fn(to_f8e4m3fn(x)); }",
    ),
    helper(
        "wrap_i4",
        "__device__ __forceinline__ signed char wrap_i4(int x) { return (signed char)((int)((unsigned)x << 28) >> 28); }",
    ),
    helper(
        "wrap_u4",
        "__device__ __forceinline__ unsigned char wrap_u4(unsigned x) { return (unsigned char)(x & 15u); }",
    ),
    helper(
        "wrap_i2",
        "__device__ __forceinline__ signed char wrap_i2(int x) { return (signed char)((int)((unsigned)x << 30) >> 30); }",
    ),
    helper(
        "wrap_u2",
        "__device__ __forceinline__ unsigned char wrap_u2(unsigned x) { return (unsigned char)(x & 3u); }",
    ),
    // By the unit for it, as Triton has it: off by 1e-7 of the result for each 1 that the number is from 0.
    helper(
        "exp_of",
        "__device__ __forceinline__ float exp_of(float x) { float y; asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x * 1.4426950408889634f)); return y; }",
    ),
    // `exp2f` does the same, and what it takes more of is for results less than 2^-126, which are 0 in interpret mode, too.
    helper(
        "exp2_of",
        "__device__ __forceinline__ float exp2_of(float x) { float y; asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x)); return y; }",
    ),
    helper(
        "max_of",
        "template <class T> __device__ __forceinline__ T max_of(T a, T b) { return a != a ? a : (b != b ? b : (a < b ? b : a)); } template <> __device__ __forceinline__ float max_of<float>(float a, float b) { float y; asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(y) : \"f\"(a), \"f\"(b)); return y; }",
    ),
    helper(
        "min_of",
        "template <class T> __device__ __forceinline__ T min_of(T a, T b) { return a != a ? a : (b != b ? b : (b < a ? b : a)); } template <> __device__ __forceinline__ float min_of<float>(float a, float b) { float y; asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(y) : \"f\"(a), \"f\"(b)); return y; }",
    ),
    helper(
        "sign_of",
        "template <class T> __device__ __forceinline__ T sign_of(T a) { return a != a || a == T(0) ? a : (a < T(0) ? T(-1) : T(1)); }",
    ),
    helper(
        "divide",
        "template <class T> __device__ __forceinline__ T divide(T a, T b) { return b == T(0) ? T(-1) : (T(-1) < T(0) && b == T(-1) ? T(0ull - (unsigned long long)a) : T(a / b)); }",
    ),
    helper(
        "remainder_of",
        "template <class T> __device__ __forceinline__ T remainder_of(T a, T b) { return b == T(0) ? a : (T(-1) < T(0) && b == T(-1) ? T(0) : T(a % b)); }",
    ),
    helper(
        "shift_left",
        "template <class T> __device__ __forceinline__ T shift_left(T a, T b, unsigned bits) { return (unsigned long long)b >= bits ? T(0) : T((unsigned long long)a << (unsigned long long)b); }",
    ),
    helper(
        "shift_right_logical",
        "template <class T> __device__ __forceinline__ T shift_right_logical(T a, T b, unsigned bits) { unsigned long long m = bits == 64 ? ~0ull : (1ull << bits) - 1; return (unsigned long long)b >= bits ? T(0) : T(((unsigned long long)a & m) >> (unsigned long long)b); }",
    ),
    helper(
        "shift_right_arithmetic",
        "template <class T> __device__ __forceinline__ T shift_right_arithmetic(T a, T b, unsigned bits) { return (unsigned long long)b >= bits ? T(a < T(0) ? -1 : 0) : T(a >> b); }",
    ),
    helper(
        "power",
        "template <class T> __device__ __forceinline__ T power(T x, int n) { bool inverse = n < 0; unsigned k = inverse ? 0u - (unsigned)n : (unsigned)n; T y = T(1); while (k) { if (k & 1u) y = T(y * x); x = T(x * x); k >>= 1; } return inverse ? T(T(1) / y) : y; }",
    ),
    helper(
        "to_integer",
        "template <class T> __device__ __forceinline__ T to_integer(double x, double low, double high) { return x != x ? T(0) : (x <= low ? T(low) : (x >= high ? T(high) : T(x))); }",
    ),
    helper(
        "to_int64",
        "__device__ __forceinline__ long long to_int64(double x) { return x != x ? 0 : __double2ll_rz(x); }",
    ),
    helper(
        "to_uint64",
        "__device__ __forceinline__ unsigned long long to_uint64(double x) { return x != x || x <= 0.0 ? 0 : __double2ull_rz(x); }",
    ),
    helper(
        "next_16",
        "__device__ __forceinline__ unsigned short next_16(unsigned short u, unsigned short to, float x, float y) { if (x != x || y != y) return 0x7fffu; if (x == y) return to; if (x == 0.0f) return (unsigned short)((to & 0x8000u) | 1u); return (unsigned short)((x < y) == (x > 0.0f) ? u + 1 : u - 1); }",
    ),
    helper(
        "nextafter_bf16",
        "__device__ __forceinline__ float nextafter_bf16(float x, float y) { return from_bf16(next_16(to_bf16(x), to_bf16(y), x, y)); }",
    ),
    helper(
        "nextafter_f16",
        "__device__ __forceinline__ float nextafter_f16(float x, float y) { return from_f16(next_16(to_f16(x), to_f16(y), x, y)); }",
    ),
    helper(
        "reduced",
        "__device__ __forceinline__ unsigned long long reduced(unsigned long long x, int mantissa, int exponent, int e, int m) { unsigned long long sign = 1ull << (mantissa + exponent), over = ((1ull << exponent) - 1) << mantissa, s = x & sign, u = x & (sign - 1); if (u > over) return x; if (m < mantissa) { int d = mantissa - m; u = (u + (1ull << (d - 1)) - 1 + (u >> d & 1)) & ~((1ull << d) - 1); } if (e < exponent) { unsigned long long bias = (1ull << (exponent - 1)) - 1, less = (1ull << (e - 1)) - 1, has = u >> mantissa; if (has > bias + less) u = over; else if (has <= bias - less) u = 0; } return s | u; }",
    ),
    helper(
        "digamma_of",
        "__device__ __noinline__ double digamma_of(double x) { const double pi = 3.14159265358979323846; double sum = 0.0; if (x <= 0.0) { if (x == floor(x)) return __longlong_as_double(0x7ff8000000000000LL); sum = -pi / tan(pi * (x - floor(x))); x = 1.0 - x; } while (x < 10.0) { sum -= 1.0 / x; x += 1.0; } double i = 1.0 / (x * x); double t = i * (1.0 / 12.0 + i * (-1.0 / 120.0 + i * (1.0 / 252.0 + i * (-1.0 / 240.0 + i * (1.0 / 132.0 + i * (-691.0 / 32760.0 + i * (1.0 / 12.0))))))); return sum + log(x) - 0.5 / x - t; }",
    ),
    helper(
        "pack_bf16",
        "__device__ __forceinline__ unsigned pack_bf16(const float* x) { return __float_as_uint(x[0]) >> 16 | (__float_as_uint(x[1]) & 0xffff0000u); }",
    ),
    helper(
        "pack_f16",
        "__device__ __forceinline__ unsigned pack_f16(const float* x) { return (unsigned)to_f16(x[0]) | (unsigned)to_f16(x[1]) << 16; }",
    ),
    helper(
        "pack_f8e4m3fn",
        "__device__ __forceinline__ unsigned pack_f8e4m3fn(const float* x) { return (unsigned)to_f8e4m3fn(x[0]) | (unsigned)to_f8e4m3fn(x[1]) << 8 | (unsigned)to_f8e4m3fn(x[2]) << 16 | (unsigned)to_f8e4m3fn(x[3]) << 24; }",
    ),
    helper(
        "pack_f8e5m2",
        "__device__ __forceinline__ unsigned pack_f8e5m2(const float* x) { return (unsigned)to_f8e5m2(x[0]) | (unsigned)to_f8e5m2(x[1]) << 8 | (unsigned)to_f8e5m2(x[2]) << 16 | (unsigned)to_f8e5m2(x[3]) << 24; }",
    ),
    helper(
        "pack_s8",
        "__device__ __forceinline__ unsigned pack_s8(const signed char* x) { return (unsigned)(unsigned char)(x[0]) | (unsigned)(unsigned char)(x[1]) << 8 | (unsigned)(unsigned char)(x[2]) << 16 | (unsigned)(unsigned char)(x[3]) << 24; }",
    ),
    helper(
        "pack_u8",
        "__device__ __forceinline__ unsigned pack_u8(const unsigned char* x) { return (unsigned)(unsigned char)(x[0]) | (unsigned)(unsigned char)(x[1]) << 8 | (unsigned)(unsigned char)(x[2]) << 16 | (unsigned)(unsigned char)(x[3]) << 24; }",
    ),
    helper(
        "pack_tf32",
        "__device__ __forceinline__ unsigned pack_tf32(const float* x) { return __float_as_uint(x[0]); }",
    ),
    helper(
        "mma_bf16",
        "__device__ __forceinline__ void mma_bf16(float* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "mma_f16",
        "__device__ __forceinline__ void mma_f16(float* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "mma_f8e4m3fn",
        "__device__ __forceinline__ void mma_f8e4m3fn(float* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "mma_f8e5m2",
        "__device__ __forceinline__ void mma_f8e5m2(float* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "mma_s8",
        "__device__ __forceinline__ void mma_s8(int* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+r\"(c[0]), \"+r\"(c[1]), \"+r\"(c[2]), \"+r\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "mma_u8",
        "__device__ __forceinline__ void mma_u8(int* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+r\"(c[0]), \"+r\"(c[1]), \"+r\"(c[2]), \"+r\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "mma_tf32",
        "__device__ __forceinline__ void mma_tf32(float* c, const unsigned* a, const unsigned* b) { asm(\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1])); }",
    ),
    helper(
        "load_matrix_4",
        "__device__ __forceinline__ void load_matrix_4(unsigned* to, const void* from) { asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\" : \"=r\"(to[0]), \"=r\"(to[1]), \"=r\"(to[2]), \"=r\"(to[3]) : \"r\"((unsigned)__cvta_generic_to_shared(from)) : \"memory\"); }",
    ),
    helper(
        "far_matrix_4",
        "__device__ __forceinline__ void far_matrix_4(unsigned* to, const void* from) { int lane = threadIdx.x & 31; for (int w = 0; w < 4; ++w) { const unsigned* p = (const unsigned*)__shfl_sync(~0u, (unsigned long long)from, 8 * w + lane / 4); to[w] = p[lane % 4]; } }",
    ),
    helper(
        "load_matrix_trans_4",
        "__device__ __forceinline__ void load_matrix_trans_4(unsigned* to, const void* from) { asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\" : \"=r\"(to[0]), \"=r\"(to[1]), \"=r\"(to[2]), \"=r\"(to[3]) : \"r\"((unsigned)__cvta_generic_to_shared(from)) : \"memory\"); }",
    ),
    helper(
        "far_matrix_trans_4",
        "__device__ __forceinline__ void far_matrix_trans_4(unsigned* to, const void* from) { int lane = threadIdx.x & 31; for (int w = 0; w < 4; ++w) { const unsigned short* p = (const unsigned short*)__shfl_sync(~0u, (unsigned long long)from, 8 * w + lane % 4 * 2); const unsigned short* q = (const unsigned short*)__shfl_sync(~0u, (unsigned long long)from, 8 * w + lane % 4 * 2 + 1); to[w] = (unsigned)p[lane / 4] | (unsigned)q[lane / 4] << 16; } }",
    ),
    helper(
        "load_matrix_2",
        "__device__ __forceinline__ void load_matrix_2(unsigned* to, const void* from) { asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\" : \"=r\"(to[0]), \"=r\"(to[1]) : \"r\"((unsigned)__cvta_generic_to_shared(from)) : \"memory\"); }",
    ),
    helper(
        "far_matrix_2",
        "__device__ __forceinline__ void far_matrix_2(unsigned* to, const void* from) { int lane = threadIdx.x & 31; for (int w = 0; w < 2; ++w) { const unsigned* p = (const unsigned*)__shfl_sync(~0u, (unsigned long long)from, 8 * w + lane / 4); to[w] = p[lane % 4]; } }",
    ),
    helper(
        "load_matrix_trans_2",
        "__device__ __forceinline__ void load_matrix_trans_2(unsigned* to, const void* from) { asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\" : \"=r\"(to[0]), \"=r\"(to[1]) : \"r\"((unsigned)__cvta_generic_to_shared(from)) : \"memory\"); }",
    ),
    helper(
        "far_matrix_trans_2",
        "__device__ __forceinline__ void far_matrix_trans_2(unsigned* to, const void* from) { int lane = threadIdx.x & 31; for (int w = 0; w < 2; ++w) { const unsigned short* p = (const unsigned short*)__shfl_sync(~0u, (unsigned long long)from, 8 * w + lane % 4 * 2); const unsigned short* q = (const unsigned short*)__shfl_sync(~0u, (unsigned long long)from, 8 * w + lane % 4 * 2 + 1); to[w] = (unsigned)p[lane / 4] | (unsigned)q[lane / 4] << 16; } }",
    ),
    helper(
        "copy_ahead_4",
        "__device__ __forceinline__ void copy_ahead_4(void* to, const void* from) { asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"((unsigned)__cvta_generic_to_shared(to)), \"l\"(__cvta_generic_to_global(from)) : \"memory\"); }",
    ),
    helper(
        "copy_ahead_8",
        "__device__ __forceinline__ void copy_ahead_8(void* to, const void* from) { asm volatile(\"cp.async.ca.shared.global [%0], [%1], 8;\" :: \"r\"((unsigned)__cvta_generic_to_shared(to)), \"l\"(__cvta_generic_to_global(from)) : \"memory\"); }",
    ),
    helper(
        "copy_ahead_16",
        "__device__ __forceinline__ void copy_ahead_16(void* to, const void* from) { asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"((unsigned)__cvta_generic_to_shared(to)), \"l\"(__cvta_generic_to_global(from)) : \"memory\"); }",
    ),
    helper(
        "failed_check",
        "__device__ __noinline__ void failed_check(unsigned* check, int program, unsigned who) { if (atomicAdd(check, 1u) == 0u) { check[1] = (unsigned)program; check[2] = who; } }",
    ),
    // An owner is a block, the number of a check, and one more than a program's number, from the highest bits on.
    helper(
        "failed_race",
        "__device__ __noinline__ void failed_race(unsigned* check, int program, unsigned long long was, int at) { if (atomicAdd(check, 1u) == 0u) { check[1] = (unsigned)program; check[2] = (unsigned)was - 1u; check[3] = (unsigned)(was >> 32) & 255u; check[4] = (unsigned)at; } }",
    ),
    helper(
        "claim",
        "__device__ __forceinline__ void claim(unsigned long long* owners, int at, unsigned* check, int program, unsigned number) { unsigned long long me = (unsigned long long)(blockIdx.x & 0xffffffu) << 40 | (unsigned long long)number << 32 | ((unsigned)program + 1u), was = atomicExch(owners + at, me); if (was != 0ull && was >> 40 != me >> 40) failed_race(check, program, was, at); }",
    ),
    helper(
        "look",
        "__device__ __forceinline__ void look(unsigned long long* owners, int at, unsigned* check, int program) { unsigned long long was = *(volatile unsigned long long*)(owners + at); if (was != 0ull && was >> 40 != (blockIdx.x & 0xffffffu)) failed_race(check, program, was, at); }",
    ),
    helper(
        "double_bits",
        "__device__ __forceinline__ unsigned long long double_bits(double x) { return x != x ? 0x7ff8000000000000ull : (unsigned long long)__double_as_longlong(x); }",
    ),
    helper(
        "note_store",
        "__device__ __noinline__ void note_store(unsigned long long* to, unsigned number, int program, unsigned long long value, unsigned long long most) { unsigned long long at = atomicAdd(to, 1ull); if (at < most) { to[2 * at + 2] = (unsigned long long)number << 32 | (unsigned)program; to[2 * at + 3] = value; } }",
    ),
    helper(
        "begin_notes",
        "__device__ __forceinline__ void begin_notes(unsigned long long* to) { unsigned long long time, ticks; unsigned at; asm volatile(\"mov.u32 %0, %%smid;\" : \"=r\"(at)); asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(time) :: \"memory\"); asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(ticks) :: \"memory\"); to[0] = time; to[1] = ticks; to[4] = at; }",
    ),
    helper(
        "end_notes",
        "__device__ __forceinline__ void end_notes(unsigned long long* to, unsigned count) { unsigned long long time, ticks; asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(ticks) :: \"memory\"); asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(time) :: \"memory\"); to[2] = time; to[3] = ticks; to[5] = count; }",
    ),
    helper(
        "note_time",
        "__device__ __forceinline__ void note_time(unsigned long long* to, unsigned number, unsigned mask, unsigned long long what) { unsigned long long ticks; asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(ticks) :: \"memory\"); to += 6 + 2 * (number & mask); to[0] = ticks; to[1] = what; }",
    ),
    helper(
        "atomic_update",
        "template <class T, class F> __device__ __forceinline__ T atomic_update(T* p, F f) { if constexpr (sizeof(T) == 8) { unsigned long long* q = (unsigned long long*)p; unsigned long long old = *q, seen; do { seen = old; T was, now; memcpy(&was, &seen, 8); now = f(was); unsigned long long w; memcpy(&w, &now, 8); old = atomicCAS(q, seen, w); } while (old != seen); T was; memcpy(&was, &seen, 8); return was; } else { unsigned long long at = (unsigned long long)p; unsigned* q = (unsigned*)(at & ~3ull); unsigned shift = (unsigned)(at & 3ull) * 8u, mask = (sizeof(T) == 4 ? ~0u : (1u << (8 * (sizeof(T) & 3))) - 1u) << shift, old = *(volatile unsigned*)q, seen; T was; do { seen = old; unsigned u = (seen & mask) >> shift, w = 0u; memcpy(&was, &u, sizeof(T)); T now = f(was); memcpy(&w, &now, sizeof(T)); old = atomicCAS(q, seen, (seen & ~mask) | w << shift); } while (old != seen); return was; } }",
    ),
    helper(
        "float_max",
        "__device__ __forceinline__ float atomic_max(float* p, float v) { unsigned* q = (unsigned*)p; unsigned old = *q, seen; do { seen = old; float m = __uint_as_float(seen); float w = m != m ? m : (v != v || m < v ? v : m); old = atomicCAS(q, seen, __float_as_uint(w)); } while (old != seen); return __uint_as_float(old); }",
    ),
    helper(
        "float_min",
        "__device__ __forceinline__ float atomic_min(float* p, float v) { unsigned* q = (unsigned*)p; unsigned old = *q, seen; do { seen = old; float m = __uint_as_float(seen); float w = m != m ? m : (v != v || v < m ? v : m); old = atomicCAS(q, seen, __float_as_uint(w)); } while (old != seen); return __uint_as_float(old); }",
    ),
];

/// The functions that a text calls, with those that they call, one on a line.
pub(super) fn used(text: &str) -> Vec<&'static str> {
    let helpers: Vec<&Helper> = super::small::helpers().chain(HELPERS).chain(super::engines::HELPERS).collect();
    let mut wanted = vec![false; helpers.len()];
    for number in (0..helpers.len()).rev() {
        let calls = |text: &str| {
            let name = match helpers[number].name {
                "float_max" => "atomic_max",
                "float_min" => "atomic_min",
                name => name,
            };
            text.match_indices(name).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let after = text[at + name.len()..].chars().next();
                before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_') && matches!(after, Some('(' | '<'))
            })
        };
        wanted[number] = calls(text) || (number + 1..helpers.len()).any(|n| wanted[n] && calls(helpers[n].text));
    }
    helpers.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(helper, _)| helper.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_calls_comes_with_it_and_before_it() {
        let texts = used("float y = round_bf16(x);");
        assert_eq!(texts.len(), 3);
        assert!(texts[0].contains("from_bf16") && texts[2].contains("round_bf16"));
        assert!(used("float y = x;").is_empty());
    }
}
