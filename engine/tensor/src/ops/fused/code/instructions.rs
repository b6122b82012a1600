//! Which instruction an operation is.

use super::graph::{Op, Relation};
use iced_x86::Code;

/// Of two operands, the second of which may be in memory.
pub(super) fn binary(op: Op) -> Option<(Code, Option<u8>)> {
    Some(match op {
        Op::Add => (Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Sub => (Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Mul => (Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Div => (Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, None),
        Op::Least => (Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae, None),
        Op::Most => (Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, None),
        // The sign is that of the result.
        Op::LeastNumber => (Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae, Some(4)),
        Op::MostNumber => (Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae, Some(5)),
        Op::And => (Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, None),
        Op::Or => (Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, None),
        Op::Xor => (Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, None),
        Op::AddInteger => (Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, None),
        Op::SubInteger => (Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, None),
        Op::MulInteger => (Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, None),
        Op::LeastSigned => (Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, None),
        Op::MostSigned => (Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, None),
        Op::LeastUnsigned => (Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, None),
        Op::MostUnsigned => (Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, None),
        Op::ShiftLeftBy => (Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, None),
        Op::ShiftRightBy => (Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, None),
        Op::ShiftSignBy => (Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, None),
        Op::CompareFloat(relation) => {
            // Quietly false for NaN, but for inequality.
            let number = match relation {
                Relation::Equal => 0,
                Relation::Below => 1,
                Relation::AtMost => 2,
                Relation::NotEqual => 4,
                Relation::AtLeast => 13,
                Relation::Above => 14,
            };
            (Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, Some(number))
        }
        Op::IsNotNumber => (Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, Some(3)),
        Op::CompareSigned(relation) => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, Some(relation as u8)),
        Op::CompareUnsigned(relation) => (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, Some(relation as u8)),
        _ => return None,
    })
}

/// Of one operand, which may be in memory.
pub(super) fn unary(op: Op) -> Option<(Code, Option<u8>)> {
    Some(match op {
        Op::SquareRoot => (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, None),
        // (Eight: without saying that the result is not exact.)
        Op::Round(how) => (Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, Some(how | 8)),
        Op::FromSigned => (Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, None),
        Op::FromUnsigned => (Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, None),
        Op::ToSigned => (Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, None),
        Op::ToUnsigned => (Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, None),
        Op::AbsSigned => (Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32, None),
        Op::ShiftLeft(places) => (Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, Some(places)),
        Op::ShiftRight(places) => (Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8, Some(places)),
        _ => return None,
    })
}

/// `a * b + c` by which operand the result takes the place of: of `a`, with `b` the last one; of `a`, with `c` the last one; of `c`,
/// with `b` the last one.
pub(super) fn multiply_add(negates_product: bool, subtracts: bool) -> [Code; 3] {
    match (negates_product, subtracts) {
        (false, false) => [
            Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
        (false, true) => [
            Code::EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
        (true, false) => [
            Code::EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
        (true, true) => [
            Code::EVEX_Vfnmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
            Code::EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
        ],
    }
}
